// The reads that showed a node.
// parameters: id
// columns: seq, body
MATCH (:Claim {id: $id})<-[:SHOWED]-(r:Retrieval)
RETURN r.seq AS seq, r.body AS body
UNION ALL
MATCH (:Artefact {id: $id})<-[:SHOWED]-(r:Retrieval)
RETURN r.seq AS seq, r.body AS body
UNION ALL
MATCH (:Evidence {id: $id})<-[:SHOWED]-(r:Retrieval)
RETURN r.seq AS seq, r.body AS body
UNION ALL
MATCH (:Outside {id: $id})<-[:SHOWED]-(r:Retrieval)
RETURN r.seq AS seq, r.body AS body
