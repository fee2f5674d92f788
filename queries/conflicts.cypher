// The recorded conflicts in which a claim takes part.
// parameters: id
// columns: seq, body
MATCH (:Node {id: $id})-[e:CONFLICTS_WITH]-(other:Node)
RETURN e.seq AS seq, e.body AS body
