// A node with the edges it nearly always has, in one statement: a statement costs more than a row.
// No row comes back where something to hang it on is not there.

// name: claim
MATCH (s:Node {id: $slot_id})
MATCH (a:Node {id: $subject_id})
MATCH (b:Node {id: $object_id})
CREATE (c:Node {id: $id, kind: 'claim', seq: $seq})
CREATE (c)-[:IN_SLOT {kind: $kind, seq: $seq, predicate: $predicate, object_norm: $object_norm, from_lo: $from_lo, to_hi: $to_hi, body: $body}]->(s)
CREATE (c)-[:SUBJECT {seq: $seq, claim: $id, predicate: $predicate}]->(a)
CREATE (c)-[:OBJECT {seq: $seq, claim: $id, predicate: $predicate}]->(b)
RETURN c.id

// name: evidence
MATCH (s:Node {id: $source_id})
MATCH (p:Node {id: $principal_id})
MATCH (n:Node {id: $session_id})
CREATE (e:Node {id: $id, kind: 'evidence', seq: $seq, body: $body})
CREATE (e)-[:FROM_SOURCE]->(s)
CREATE (e)-[:BY]->(p)
CREATE (e)-[:IN_SESSION]->(n)
RETURN e.id

// name: backing
MATCH (s:Node {id: $slot_id})
MATCH (c:Node {id: $head})
MATCH (e:Node {id: $required})
CREATE (j:Node {id: $id, kind: 'justification', seq: $seq})
CREATE (c)-[:HEAD {seq: $seq, body: $body}]->(j)
CREATE (j)-[:IN_SLOT {kind: 'backing', seq: $seq, body: $body}]->(s)
CREATE (j)-[:REQUIRES]->(e)
RETURN j.id

// name: verdict
MATCH (c:Node {id: $about})
CREATE (v:Node {id: $id, kind: 'verdict', seq: $seq, body: $body})
CREATE (v)-[:ABOUT]->(c)
RETURN v.id

// name: retrieval
MATCH (p:Node {id: $principal_id})
MATCH (n:Node {id: $session_id})
CREATE (r:Node {id: $id, kind: 'retrieval', seq: $seq, body: $body})
CREATE (r)-[:BY]->(p)
CREATE (r)-[:IN_SESSION]->(n)
RETURN r.id

// name: showed
MATCH (r:Node {id: $id})
MATCH (a:Node {id: $first})
MATCH (b:Node {id: $second})
MATCH (c:Node {id: $third})
MATCH (d:Node {id: $fourth})
CREATE (r)-[:SHOWED]->(a)
CREATE (r)-[:SHOWED]->(b)
CREATE (r)-[:SHOWED]->(c)
CREATE (r)-[:SHOWED]->(d)
RETURN r.id
