// Every justification of every node that grew from a node; those of the node itself come from justifications.
// parameters: id
// columns: seq, body
MATCH (:Evidence {id: $id})<-[:HEAD|REQUIRES* SHORTEST 1..60000]-(d:Claim:Artefact)
MATCH (d)-[h:HEAD]->(:Justification)
RETURN h.seq AS seq, h.body AS body
UNION ALL
MATCH (:Claim {id: $id})<-[:HEAD|REQUIRES* SHORTEST 1..60000]-(d:Claim:Artefact)
MATCH (d)-[h:HEAD]->(:Justification)
RETURN h.seq AS seq, h.body AS body
UNION ALL
MATCH (:Artefact {id: $id})<-[:HEAD|REQUIRES* SHORTEST 1..60000]-(d:Claim:Artefact)
MATCH (d)-[h:HEAD]->(:Justification)
RETURN h.seq AS seq, h.body AS body
UNION ALL
MATCH (:Outside {id: $id})<-[:HEAD|REQUIRES* SHORTEST 1..60000]-(d:Claim:Artefact)
MATCH (d)-[h:HEAD]->(:Justification)
RETURN h.seq AS seq, h.body AS body
