// One justification: the whole record, read from its head's edge.
// parameters: id
// columns: seq, body
MATCH (:Node {id: $id})<-[e:HEAD]-(n:Node)
RETURN e.seq AS seq, e.body AS body
