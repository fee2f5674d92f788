// What a claim or artefact rests on: evidence, claims and artefacts, each at its least distance.
// A derivation is two steps: to the justification, and from it to what it requires.
// parameters: id
// columns: id, steps
MATCH (:Claim {id: $id})-[e:HEAD|REQUIRES* SHORTEST 1..60000]->(d:Evidence:Claim:Artefact:Outside)
RETURN d.id AS id, length(e) AS steps
UNION ALL
MATCH (:Artefact {id: $id})-[e:HEAD|REQUIRES* SHORTEST 1..60000]->(d:Evidence:Claim:Artefact:Outside)
RETURN d.id AS id, length(e) AS steps
