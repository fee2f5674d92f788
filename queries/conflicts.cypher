// The recorded conflicts in which a claim takes part.
// parameters: id
// columns: seq, body
MATCH (:Claim {id: $id})-[e:CONFLICTS_WITH]->(:Claim)
RETURN e.seq AS seq, e.body AS body
UNION ALL
MATCH (:Claim {id: $id})<-[e:CONFLICTS_WITH]-(:Claim)
RETURN e.seq AS seq, e.body AS body
