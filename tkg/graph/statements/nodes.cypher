// One node. A name may be there already; a record may not.

// name: Entity
MERGE (:Entity {id: $id})

// name: Slot
MERGE (:Slot {id: $id})

// name: Session
MERGE (:Session {id: $id})

// name: Principal
MERGE (:Principal {id: $id})

// name: Target
MERGE (:Target {id: $id})

// name: Outside
MERGE (:Outside {id: $id})

// name: Source
CREATE (:Source {id: $id, seq: $seq, uri: $uri, body: $body})

// name: Evidence
CREATE (:Evidence {id: $id, seq: $seq, channel: $channel, origin: $origin, observed_at: $observed_at, body: $body})

// name: Claim
CREATE (:Claim {id: $id, seq: $seq, scope: $scope, subject: $subject, predicate: $predicate, object: $object, object_norm: $object_norm, object_type: $object_type, polarity: $polarity, from_lo: $from_lo, from_hi: $from_hi, to_lo: $to_lo, to_hi: $to_hi})

// name: Justification
CREATE (:Justification {id: $id, seq: $seq, kind: $kind, channel: $channel})

// name: Artefact
CREATE (:Artefact {id: $id, seq: $seq, kind: $kind, label: $label, body: $body})

// name: Retrieval
CREATE (:Retrieval {id: $id, seq: $seq, as_of: $as_of, body: $body})

// name: Verdict
CREATE (:Verdict {id: $id, seq: $seq, outcome: $outcome, code: $code, body: $body})

// name: State
CREATE (:State {id: $id, seq: $seq, axis: $axis, value: $value, code: $code, body: $body})
