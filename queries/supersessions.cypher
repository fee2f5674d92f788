// The portions of time that a claim took from others, or that others took from it.
// parameters: id
// columns: seq, body
MATCH (:Node {id: $id})-[e:SUPERSEDES]-(other:Node)
RETURN e.seq AS seq, e.body AS body
