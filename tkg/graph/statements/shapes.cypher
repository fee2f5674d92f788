// Several nodes and edges that nearly always come together, in one statement: a statement costs more than a row.
// No row comes back where something to hang them on is not there.

// name: claim
MATCH (s:Slot {id: $slot_id})
MATCH (a:Entity {id: $subject_id})
MATCH (b:Entity {id: $object_id})
CREATE (c:Claim {id: $c_id, seq: $seq, scope: $c_scope, subject: $c_subject, predicate: $c_predicate, object: $c_object, object_norm: $c_object_norm, object_type: $c_object_type, polarity: $c_polarity, from_lo: $c_from_lo, from_hi: $c_from_hi, to_lo: $c_to_lo, to_hi: $c_to_hi})
CREATE (c)-[:IN_SLOT {seq: $seq, body: $c_body}]->(s)
CREATE (c)-[:SUBJECT {seq: $seq}]->(a)
CREATE (c)-[:OBJECT {seq: $seq}]->(b)
RETURN c.id

// name: evidence
MATCH (s:Source {id: $source_id})
MATCH (p:Principal {id: $principal_id})
CREATE (e:Evidence {id: $e_id, seq: $seq, channel: $e_channel, origin: $e_origin, observed_at: $e_observed_at, body: $e_body})
CREATE (e)-[:FROM_SOURCE {seq: $seq}]->(s)
CREATE (e)-[:BY {seq: $seq}]->(p)
RETURN e.id

// name: backing
MATCH (s:Slot {id: $slot_id})
MATCH (c:Claim {id: $claim_id})
MATCH (e:Evidence {id: $evidence_id})
CREATE (j:Justification {id: $j_id, seq: $seq, kind: $j_kind, channel: $j_channel})
CREATE (c)-[:HEAD {seq: $seq, body: $j_body}]->(j)
CREATE (j)-[:REQUIRES {seq: $seq}]->(e)
CREATE (j)-[:BACKS {seq: $seq, body: $j_body}]->(s)
CREATE (c)-[:SUPPORTED_BY {seq: $seq}]->(e)
RETURN j.id

// name: reinforcement
MATCH (s:Slot {id: $slot_id})
MATCH (c:Claim {id: $claim_id})
MATCH (o:Source {id: $source_id})
MATCH (p:Principal {id: $principal_id})
MATCH (n:Session {id: $session_id})
CREATE (e:Evidence {id: $e_id, seq: $seq, channel: $e_channel, origin: $e_origin, observed_at: $e_observed_at, body: $e_body})
CREATE (e)-[:FROM_SOURCE {seq: $seq}]->(o)
CREATE (e)-[:BY {seq: $seq}]->(p)
CREATE (e)-[:IN_SESSION {seq: $seq}]->(n)
CREATE (j:Justification {id: $j_id, seq: $seq, kind: $j_kind, channel: $j_channel})
CREATE (c)-[:HEAD {seq: $seq, body: $j_body}]->(j)
CREATE (j)-[:REQUIRES {seq: $seq}]->(e)
CREATE (j)-[:BACKS {seq: $seq, body: $j_body}]->(s)
CREATE (c)-[:SUPPORTED_BY {seq: $seq}]->(e)
CREATE (v:Verdict {id: $v_id, seq: $seq, outcome: $v_outcome, code: $v_code, body: $v_body})
CREATE (v)-[:ABOUT {seq: $seq}]->(c)
RETURN c.id

// name: proposal
MATCH (s:Slot {id: $slot_id})
MATCH (a:Entity {id: $subject_id})
MATCH (b:Entity {id: $object_id})
MATCH (o:Source {id: $source_id})
MATCH (p:Principal {id: $principal_id})
MATCH (n:Session {id: $session_id})
CREATE (c:Claim {id: $c_id, seq: $seq, scope: $c_scope, subject: $c_subject, predicate: $c_predicate, object: $c_object, object_norm: $c_object_norm, object_type: $c_object_type, polarity: $c_polarity, from_lo: $c_from_lo, from_hi: $c_from_hi, to_lo: $c_to_lo, to_hi: $c_to_hi})
CREATE (c)-[:IN_SLOT {seq: $seq, body: $c_body}]->(s)
CREATE (c)-[:SUBJECT {seq: $seq}]->(a)
CREATE (c)-[:OBJECT {seq: $seq}]->(b)
CREATE (e:Evidence {id: $e_id, seq: $seq, channel: $e_channel, origin: $e_origin, observed_at: $e_observed_at, body: $e_body})
CREATE (e)-[:FROM_SOURCE {seq: $seq}]->(o)
CREATE (e)-[:BY {seq: $seq}]->(p)
CREATE (e)-[:IN_SESSION {seq: $seq}]->(n)
CREATE (j:Justification {id: $j_id, seq: $seq, kind: $j_kind, channel: $j_channel})
CREATE (c)-[:HEAD {seq: $seq, body: $j_body}]->(j)
CREATE (j)-[:REQUIRES {seq: $seq}]->(e)
CREATE (j)-[:BACKS {seq: $seq, body: $j_body}]->(s)
CREATE (c)-[:SUPPORTED_BY {seq: $seq}]->(e)
CREATE (v:Verdict {id: $v_id, seq: $seq, outcome: $v_outcome, code: $v_code, body: $v_body})
CREATE (v)-[:ABOUT {seq: $seq}]->(c)
RETURN c.id
