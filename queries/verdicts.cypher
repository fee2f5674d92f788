// What the gate decided about a claim.
// parameters: id
// columns: seq, body
MATCH (:Claim {id: $id})<-[:ABOUT]-(v:Verdict)
RETURN v.seq AS seq, v.body AS body
UNION ALL
MATCH (:Outside {id: $id})<-[:ABOUT]-(v:Verdict)
RETURN v.seq AS seq, v.body AS body
