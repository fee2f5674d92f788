// The claims that say the same as this one more precisely, or less.
// parameters: id
// columns: seq, body
MATCH (:Claim {id: $id})-[e:REFINES]->(:Claim)
RETURN e.seq AS seq, e.body AS body
UNION ALL
MATCH (:Claim {id: $id})<-[e:REFINES]-(:Claim)
RETURN e.seq AS seq, e.body AS body
