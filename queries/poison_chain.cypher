// The reads that showed what a node rests on: which of its ancestors was seen when, and by whom.
// A row without a body is an ancestor that was never shown.
// Up to 300 steps: with a larger bound the engine expects the whole graph and reads all of it.
// parameters: id
// columns: node, seq, body
MATCH (:Node {id: $id})-[:HEAD|REQUIRES* SHORTEST 1..300]->(d:Node)
OPTIONAL MATCH (d)<-[:SHOWED]-(r:Node)
RETURN d.id AS node, r.seq AS seq, r.body AS body
