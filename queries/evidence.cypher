// One piece of evidence: the whole record.
// parameters: id
// columns: seq, body
MATCH (n:Evidence {id: $id})
RETURN n.seq AS seq, n.body AS body
