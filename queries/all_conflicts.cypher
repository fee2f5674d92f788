// Every recorded conflict.
// parameters: none
// columns: seq, body
// sweep
MATCH (a:Node)-[e:CONFLICTS_WITH]->(b:Node)
RETURN e.seq AS seq, e.body AS body
