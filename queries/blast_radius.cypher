// The reads that showed what grew from a node: how far it was seen, beyond the reads that showed it itself (exposures).
// A row without a retrieval is something that was never shown.
// parameters: id
// columns: node, kind, retrieval, seq
MATCH (:Node {id: $id})<-[:HEAD|REQUIRES* SHORTEST 1..300]-(d:Node)
OPTIONAL MATCH (d)<-[:SHOWED]-(r:Node)
RETURN d.id AS node, d.kind AS kind, r.id AS retrieval, r.seq AS seq
