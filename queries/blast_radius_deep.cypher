// The reads that showed what grew from a node: how far it was seen, beyond the reads that showed it itself (exposures).
// A row without a body is something that was never shown.
// Up to 60,000 steps, for what reaches the bound of the query of the same name without deep.
// parameters: id
// columns: node, seq, body
MATCH (:Node {id: $id})<-[:HEAD|REQUIRES* SHORTEST 1..60000]-(d:Node)
OPTIONAL MATCH (d)<-[:SHOWED]-(r:Node)
RETURN d.id AS node, r.seq AS seq, r.body AS body
