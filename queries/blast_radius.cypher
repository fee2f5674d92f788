// The reads that showed what grew from a node: how far it was seen, beyond the reads that showed it itself (exposures).
// A row without a body is something that was never shown.
// Up to 300 steps: with a larger bound the engine expects the whole graph and reads all of it.
// parameters: id
// columns: node, seq, body
MATCH (:Node {id: $id})<-[:HEAD|REQUIRES* SHORTEST 1..300]-(d:Node)
OPTIONAL MATCH (d)<-[:SHOWED]-(r:Node)
RETURN d.id AS node, r.seq AS seq, r.body AS body
