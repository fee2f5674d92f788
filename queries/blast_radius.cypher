// The reads that showed what grew from a node: how far it was seen, beyond the reads that showed it itself (exposures).
// parameters: id
// columns: node, retrieval, seq
MATCH (:Evidence {id: $id})<-[:HEAD|REQUIRES* SHORTEST 1..60000]-(d:Claim:Artefact)
MATCH (d)<-[:SHOWED]-(r:Retrieval)
RETURN d.id AS node, r.id AS retrieval, r.seq AS seq
UNION ALL
MATCH (:Claim {id: $id})<-[:HEAD|REQUIRES* SHORTEST 1..60000]-(d:Claim:Artefact)
MATCH (d)<-[:SHOWED]-(r:Retrieval)
RETURN d.id AS node, r.id AS retrieval, r.seq AS seq
UNION ALL
MATCH (:Artefact {id: $id})<-[:HEAD|REQUIRES* SHORTEST 1..60000]-(d:Claim:Artefact)
MATCH (d)<-[:SHOWED]-(r:Retrieval)
RETURN d.id AS node, r.id AS retrieval, r.seq AS seq
UNION ALL
MATCH (:Outside {id: $id})<-[:HEAD|REQUIRES* SHORTEST 1..60000]-(d:Claim:Artefact)
MATCH (d)<-[:SHOWED]-(r:Retrieval)
RETURN d.id AS node, r.id AS retrieval, r.seq AS seq
