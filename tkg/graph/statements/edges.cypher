// One edge between two nodes that are there; no row comes back where one of them is not.

// name: IN_SLOT_Claim_Slot
MATCH (a:Claim {id: $source})
MATCH (b:Slot {id: $target})
CREATE (a)-[:IN_SLOT {seq: $seq, body: $body}]->(b)
RETURN a.id

// name: SUBJECT_Claim_Entity
MATCH (a:Claim {id: $source})
MATCH (b:Entity {id: $target})
CREATE (a)-[:SUBJECT {seq: $seq}]->(b)
RETURN a.id

// name: OBJECT_Claim_Entity
MATCH (a:Claim {id: $source})
MATCH (b:Entity {id: $target})
CREATE (a)-[:OBJECT {seq: $seq}]->(b)
RETURN a.id

// name: DEPENDS_ON_Claim_Claim
MATCH (a:Claim {id: $source})
MATCH (b:Claim {id: $target})
CREATE (a)-[:DEPENDS_ON {seq: $seq}]->(b)
RETURN a.id

// name: DEPENDS_ON_Claim_Outside
MATCH (a:Claim {id: $source})
MATCH (b:Outside {id: $target})
CREATE (a)-[:DEPENDS_ON {seq: $seq}]->(b)
RETURN a.id

// name: SUPERSEDES_Claim_Claim
MATCH (a:Claim {id: $source})
MATCH (b:Claim {id: $target})
CREATE (a)-[:SUPERSEDES {seq: $seq, portion_from: $portion_from, portion_to: $portion_to, rule: $rule, body: $body}]->(b)
RETURN a.id

// name: CONFLICTS_WITH_Claim_Claim
MATCH (a:Claim {id: $source})
MATCH (b:Claim {id: $target})
CREATE (a)-[:CONFLICTS_WITH {seq: $seq, pattern: $pattern, rule: $rule, body: $body}]->(b)
RETURN a.id

// name: REFINES_Claim_Claim
MATCH (a:Claim {id: $source})
MATCH (b:Claim {id: $target})
CREATE (a)-[:REFINES {seq: $seq, body: $body}]->(b)
RETURN a.id

// name: HEAD_Claim_Justification
MATCH (a:Claim {id: $source})
MATCH (b:Justification {id: $target})
CREATE (a)-[:HEAD {seq: $seq, body: $body}]->(b)
RETURN a.id

// name: HEAD_Artefact_Justification
MATCH (a:Artefact {id: $source})
MATCH (b:Justification {id: $target})
CREATE (a)-[:HEAD {seq: $seq, body: $body}]->(b)
RETURN a.id

// name: REQUIRES_Justification_Evidence
MATCH (a:Justification {id: $source})
MATCH (b:Evidence {id: $target})
CREATE (a)-[:REQUIRES {seq: $seq}]->(b)
RETURN a.id

// name: REQUIRES_Justification_Claim
MATCH (a:Justification {id: $source})
MATCH (b:Claim {id: $target})
CREATE (a)-[:REQUIRES {seq: $seq}]->(b)
RETURN a.id

// name: REQUIRES_Justification_Artefact
MATCH (a:Justification {id: $source})
MATCH (b:Artefact {id: $target})
CREATE (a)-[:REQUIRES {seq: $seq}]->(b)
RETURN a.id

// name: REQUIRES_Justification_Outside
MATCH (a:Justification {id: $source})
MATCH (b:Outside {id: $target})
CREATE (a)-[:REQUIRES {seq: $seq}]->(b)
RETURN a.id

// name: BACKS_Justification_Slot
MATCH (a:Justification {id: $source})
MATCH (b:Slot {id: $target})
CREATE (a)-[:BACKS {seq: $seq, body: $body}]->(b)
RETURN a.id

// name: SUPPORTED_BY_Claim_Evidence
MATCH (a:Claim {id: $source})
MATCH (b:Evidence {id: $target})
CREATE (a)-[:SUPPORTED_BY {seq: $seq}]->(b)
RETURN a.id

// name: FROM_SOURCE_Evidence_Source
MATCH (a:Evidence {id: $source})
MATCH (b:Source {id: $target})
CREATE (a)-[:FROM_SOURCE {seq: $seq}]->(b)
RETURN a.id

// name: COPY_OF_Evidence_Source
MATCH (a:Evidence {id: $source})
MATCH (b:Source {id: $target})
CREATE (a)-[:COPY_OF {seq: $seq}]->(b)
RETURN a.id

// name: COPY_OF_Evidence_Outside
MATCH (a:Evidence {id: $source})
MATCH (b:Outside {id: $target})
CREATE (a)-[:COPY_OF {seq: $seq}]->(b)
RETURN a.id

// name: IN_SESSION_Evidence_Session
MATCH (a:Evidence {id: $source})
MATCH (b:Session {id: $target})
CREATE (a)-[:IN_SESSION {seq: $seq}]->(b)
RETURN a.id

// name: IN_SESSION_Artefact_Session
MATCH (a:Artefact {id: $source})
MATCH (b:Session {id: $target})
CREATE (a)-[:IN_SESSION {seq: $seq}]->(b)
RETURN a.id

// name: IN_SESSION_Retrieval_Session
MATCH (a:Retrieval {id: $source})
MATCH (b:Session {id: $target})
CREATE (a)-[:IN_SESSION {seq: $seq}]->(b)
RETURN a.id

// name: BY_Evidence_Principal
MATCH (a:Evidence {id: $source})
MATCH (b:Principal {id: $target})
CREATE (a)-[:BY {seq: $seq}]->(b)
RETURN a.id

// name: BY_Retrieval_Principal
MATCH (a:Retrieval {id: $source})
MATCH (b:Principal {id: $target})
CREATE (a)-[:BY {seq: $seq}]->(b)
RETURN a.id

// name: SHOWED_Retrieval_Claim
MATCH (a:Retrieval {id: $source})
MATCH (b:Claim {id: $target})
CREATE (a)-[:SHOWED {seq: $seq}]->(b)
RETURN a.id

// name: SHOWED_Retrieval_Artefact
MATCH (a:Retrieval {id: $source})
MATCH (b:Artefact {id: $target})
CREATE (a)-[:SHOWED {seq: $seq}]->(b)
RETURN a.id

// name: SHOWED_Retrieval_Evidence
MATCH (a:Retrieval {id: $source})
MATCH (b:Evidence {id: $target})
CREATE (a)-[:SHOWED {seq: $seq}]->(b)
RETURN a.id

// name: SHOWED_Retrieval_Outside
MATCH (a:Retrieval {id: $source})
MATCH (b:Outside {id: $target})
CREATE (a)-[:SHOWED {seq: $seq}]->(b)
RETURN a.id

// name: ABOUT_Verdict_Claim
MATCH (a:Verdict {id: $source})
MATCH (b:Claim {id: $target})
CREATE (a)-[:ABOUT {seq: $seq}]->(b)
RETURN a.id

// name: ABOUT_Verdict_Outside
MATCH (a:Verdict {id: $source})
MATCH (b:Outside {id: $target})
CREATE (a)-[:ABOUT {seq: $seq}]->(b)
RETURN a.id

// name: CHANGED_State_Target
MATCH (a:State {id: $source})
MATCH (b:Target {id: $target})
CREATE (a)-[:CHANGED {seq: $seq}]->(b)
RETURN a.id
