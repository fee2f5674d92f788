// Every recorded conflict.
// parameters: none
// columns: seq, body
// sweep
MATCH (:Claim)-[e:CONFLICTS_WITH]->(:Claim)
RETURN e.seq AS seq, e.body AS body
