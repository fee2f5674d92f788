// All justifications of a claim or artefact.
// parameters: id
// columns: seq, body
MATCH (:Claim {id: $id})-[e:HEAD]->(:Justification)
RETURN e.seq AS seq, e.body AS body
UNION ALL
MATCH (:Artefact {id: $id})-[e:HEAD]->(:Justification)
RETURN e.seq AS seq, e.body AS body
