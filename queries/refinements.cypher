// The claims that say the same as this one more precisely, or less.
// parameters: id
// columns: seq, body
MATCH (:Node {id: $id})-[e:REFINES]-(other:Node)
RETURN e.seq AS seq, e.body AS body
