// One justification: the whole record.
// parameters: id
// columns: seq, body
MATCH (:Justification {id: $id})<-[e:HEAD]-(n)
RETURN e.seq AS seq, e.body AS body
