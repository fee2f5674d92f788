// All justifications of a claim or artefact.
// parameters: id
// columns: seq, body
MATCH (:Node {id: $id})-[e:HEAD]->(j:Node)
RETURN e.seq AS seq, e.body AS body
