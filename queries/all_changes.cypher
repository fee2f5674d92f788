// Every change of state.
// parameters: none
// columns: seq, body
// sweep
MATCH (s:State)
RETURN s.seq AS seq, s.body AS body
ORDER BY seq, s.id
