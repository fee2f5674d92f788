// What a claim or artefact rests on: evidence, claims and artefacts, each at its least distance.
// A derivation is two steps, to a justification and from it; nodes of kind justification are the steps between.
// Up to 60,000 steps, for what reaches the bound of the query of the same name without deep.
// parameters: id
// columns: id, kind, steps
MATCH (:Node {id: $id})-[e:HEAD|REQUIRES* SHORTEST 1..60000]->(d:Node)
RETURN d.id AS id, d.kind AS kind, length(e) AS steps
