// The reads that showed what a node rests on: which of its ancestors was seen when, and by whom.
// A row without a body is an ancestor that was never shown.
// Up to 60,000 steps, for what reaches the bound of the query of the same name without deep.
// parameters: id
// columns: node, seq, body
MATCH (:Node {id: $id})-[:HEAD|REQUIRES* SHORTEST 1..60000]->(d:Node)
OPTIONAL MATCH (d)<-[:SHOWED]-(r:Node)
RETURN d.id AS node, r.seq AS seq, r.body AS body
