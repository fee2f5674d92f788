// The reads that showed a node.
// parameters: id
// columns: seq, body
MATCH (:Node {id: $id})<-[:SHOWED]-(r:Node)
RETURN r.seq AS seq, r.body AS body
