// One artefact: the whole record.
// parameters: id
// columns: seq, body
MATCH (n:Artefact {id: $id})
RETURN n.seq AS seq, n.body AS body
