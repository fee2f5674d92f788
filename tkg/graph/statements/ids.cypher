// The ids a table holds: read before a bulk load onto a graph that is not empty.

// name: Entity
MATCH (n:Entity)
RETURN n.id

// name: Slot
MATCH (n:Slot)
RETURN n.id

// name: Session
MATCH (n:Session)
RETURN n.id

// name: Principal
MATCH (n:Principal)
RETURN n.id

// name: Target
MATCH (n:Target)
RETURN n.id

// name: Outside
MATCH (n:Outside)
RETURN n.id

// name: Source
MATCH (n:Source)
RETURN n.id

// name: Evidence
MATCH (n:Evidence)
RETURN n.id

// name: Claim
MATCH (n:Claim)
RETURN n.id

// name: Artefact
MATCH (n:Artefact)
RETURN n.id
