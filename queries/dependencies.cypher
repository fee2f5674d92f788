// Every claim with each claim it depends on.
// parameters: none
// columns: claim, other
// sweep
MATCH (c:Claim)-[:DEPENDS_ON]->(d:Claim:Outside)
RETURN c.id AS claim, d.id AS other
