// How many nodes there are of each kind, and edges between claims.
// parameters: none
// columns: kind, n
// sweep
MATCH (n:Node)
RETURN n.kind AS kind, count(*) AS n
UNION ALL
MATCH (a:Node)-[e:CONFLICTS_WITH|REFINES|SUPERSEDES]->(b:Node)
RETURN label(e) AS kind, count(*) AS n
