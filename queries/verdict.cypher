// One verdict of the gate: the whole record.
// parameters: id
// columns: seq, body
MATCH (n:Verdict {id: $id})
RETURN n.seq AS seq, n.body AS body
