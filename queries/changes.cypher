// The changes of state of a node, scope, entity or predicate.
// parameters: id
// columns: seq, body
MATCH (:Target {id: $id})<-[:CHANGED]-(s:State)
RETURN s.seq AS seq, s.body AS body
