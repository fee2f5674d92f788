// Whole tables, for comparing them with the ledger: a sweep each. Columns are those of the schema, ends first.

// name: Node
MATCH (n:Node)
RETURN n.id, n.kind, n.seq, n.body

// name: IN_SLOT
MATCH (a:Node)-[e:IN_SLOT]->(b:Node)
RETURN a.id, b.id, e.kind, e.seq, e.predicate, e.object_norm, e.from_lo, e.to_hi, e.body

// name: SUBJECT
MATCH (a:Node)-[e:SUBJECT]->(b:Node)
RETURN a.id, b.id, e.seq, e.claim, e.predicate

// name: OBJECT
MATCH (a:Node)-[e:OBJECT]->(b:Node)
RETURN a.id, b.id, e.seq, e.claim, e.predicate

// name: DEPENDS_ON
MATCH (a:Node)-[:DEPENDS_ON]->(b:Node)
RETURN a.id, b.id

// name: SUPERSEDES
MATCH (a:Node)-[e:SUPERSEDES]->(b:Node)
RETURN a.id, b.id, e.seq, e.body

// name: CONFLICTS_WITH
MATCH (a:Node)-[e:CONFLICTS_WITH]->(b:Node)
RETURN a.id, b.id, e.seq, e.body

// name: REFINES
MATCH (a:Node)-[e:REFINES]->(b:Node)
RETURN a.id, b.id, e.seq, e.body

// name: HEAD
MATCH (a:Node)-[e:HEAD]->(b:Node)
RETURN a.id, b.id, e.seq, e.body

// name: REQUIRES
MATCH (a:Node)-[:REQUIRES]->(b:Node)
RETURN a.id, b.id

// name: FROM_SOURCE
MATCH (a:Node)-[:FROM_SOURCE]->(b:Node)
RETURN a.id, b.id

// name: COPY_OF
MATCH (a:Node)-[:COPY_OF]->(b:Node)
RETURN a.id, b.id

// name: IN_SESSION
MATCH (a:Node)-[:IN_SESSION]->(b:Node)
RETURN a.id, b.id

// name: BY
MATCH (a:Node)-[:BY]->(b:Node)
RETURN a.id, b.id

// name: SHOWED
MATCH (a:Node)-[:SHOWED]->(b:Node)
RETURN a.id, b.id

// name: ABOUT
MATCH (a:Node)-[:ABOUT]->(b:Node)
RETURN a.id, b.id
