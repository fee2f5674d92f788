// The changes of state of a node, scope, entity or predicate.
// parameters: id
// columns: seq, body
MATCH (:Node {id: $id})<-[:ABOUT]-(s:Node)
WHERE s.kind = 'status'
RETURN s.seq AS seq, s.body AS body
