// Every change of state.
// parameters: none
// columns: seq, body
// sweep
MATCH (s:Node)
WHERE s.kind = 'status'
RETURN s.seq AS seq, s.body AS body
