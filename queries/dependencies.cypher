// Every claim with each claim it depends on.
// parameters: none
// columns: claim, other
// sweep
MATCH (c:Node)-[:DEPENDS_ON]->(d:Node)
RETURN c.id AS claim, d.id AS other
