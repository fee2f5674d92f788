// The portions of time that a claim took from others, or that others took from it.
// parameters: id
// columns: seq, body
MATCH (:Claim {id: $id})-[e:SUPERSEDES]->(:Claim)
RETURN e.seq AS seq, e.body AS body
UNION ALL
MATCH (:Claim {id: $id})<-[e:SUPERSEDES]-(:Claim)
RETURN e.seq AS seq, e.body AS body
