// One evidence, artefact, read, verdict or change of state, or (by the source's id and ':record') one source.
// parameters: id
// columns: kind, seq, body
MATCH (n:Node {id: $id})
RETURN n.kind AS kind, n.seq AS seq, n.body AS body
