// One read: the whole record.
// parameters: id
// columns: seq, body
MATCH (n:Retrieval {id: $id})
RETURN n.seq AS seq, n.body AS body
