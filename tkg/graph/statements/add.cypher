// One node, or one edge between two nodes that are there: no row comes back where one of them is not.

// name: has
MATCH (n:Node {id: $id})
RETURN n.id

// name: Node
CREATE (:Node {id: $id, kind: $kind, seq: $seq, body: $body})

// name: IN_SLOT
MATCH (a:Node {id: $source})
MATCH (b:Node {id: $target})
CREATE (a)-[:IN_SLOT {kind: $kind, seq: $seq, predicate: $predicate, object_norm: $object_norm, from_lo: $from_lo, to_hi: $to_hi, body: $body}]->(b)
RETURN a.id

// name: SUBJECT
MATCH (a:Node {id: $source})
MATCH (b:Node {id: $target})
CREATE (a)-[:SUBJECT {seq: $seq, claim: $claim, predicate: $predicate}]->(b)
RETURN a.id

// name: OBJECT
MATCH (a:Node {id: $source})
MATCH (b:Node {id: $target})
CREATE (a)-[:OBJECT {seq: $seq, claim: $claim, predicate: $predicate}]->(b)
RETURN a.id

// name: DEPENDS_ON
MATCH (a:Node {id: $source})
MATCH (b:Node {id: $target})
CREATE (a)-[:DEPENDS_ON]->(b)
RETURN a.id

// name: SUPERSEDES
MATCH (a:Node {id: $source})
MATCH (b:Node {id: $target})
CREATE (a)-[:SUPERSEDES {seq: $seq, body: $body}]->(b)
RETURN a.id

// name: CONFLICTS_WITH
MATCH (a:Node {id: $source})
MATCH (b:Node {id: $target})
CREATE (a)-[:CONFLICTS_WITH {seq: $seq, body: $body}]->(b)
RETURN a.id

// name: REFINES
MATCH (a:Node {id: $source})
MATCH (b:Node {id: $target})
CREATE (a)-[:REFINES {seq: $seq, body: $body}]->(b)
RETURN a.id

// name: HEAD
MATCH (a:Node {id: $source})
MATCH (b:Node {id: $target})
CREATE (a)-[:HEAD {seq: $seq, body: $body}]->(b)
RETURN a.id

// name: REQUIRES
MATCH (a:Node {id: $source})
MATCH (b:Node {id: $target})
CREATE (a)-[:REQUIRES]->(b)
RETURN a.id

// name: FROM_SOURCE
MATCH (a:Node {id: $source})
MATCH (b:Node {id: $target})
CREATE (a)-[:FROM_SOURCE]->(b)
RETURN a.id

// name: COPY_OF
MATCH (a:Node {id: $source})
MATCH (b:Node {id: $target})
CREATE (a)-[:COPY_OF]->(b)
RETURN a.id

// name: IN_SESSION
MATCH (a:Node {id: $source})
MATCH (b:Node {id: $target})
CREATE (a)-[:IN_SESSION]->(b)
RETURN a.id

// name: BY
MATCH (a:Node {id: $source})
MATCH (b:Node {id: $target})
CREATE (a)-[:BY]->(b)
RETURN a.id

// name: SHOWED
MATCH (a:Node {id: $source})
MATCH (b:Node {id: $target})
CREATE (a)-[:SHOWED]->(b)
RETURN a.id

// name: ABOUT
MATCH (a:Node {id: $source})
MATCH (b:Node {id: $target})
CREATE (a)-[:ABOUT]->(b)
RETURN a.id
