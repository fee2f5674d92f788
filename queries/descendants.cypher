// What grew from a piece of evidence, a claim or an artefact: claims and artefacts, each at its least distance.
// A derivation is two steps: from what it requires to the justification, and from that to its head.
// parameters: id
// columns: id, steps
MATCH (:Evidence {id: $id})<-[e:HEAD|REQUIRES* SHORTEST 1..60000]-(d:Claim:Artefact)
RETURN d.id AS id, length(e) AS steps
UNION ALL
MATCH (:Claim {id: $id})<-[e:HEAD|REQUIRES* SHORTEST 1..60000]-(d:Claim:Artefact)
RETURN d.id AS id, length(e) AS steps
UNION ALL
MATCH (:Artefact {id: $id})<-[e:HEAD|REQUIRES* SHORTEST 1..60000]-(d:Claim:Artefact)
RETURN d.id AS id, length(e) AS steps
UNION ALL
MATCH (:Outside {id: $id})<-[e:HEAD|REQUIRES* SHORTEST 1..60000]-(d:Claim:Artefact)
RETURN d.id AS id, length(e) AS steps
