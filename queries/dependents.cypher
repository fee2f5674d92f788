// The claims that say they hold only while this one does.
// parameters: id
// columns: id, seq
MATCH (:Claim {id: $id})<-[e:DEPENDS_ON]-(c:Claim)
RETURN c.id AS id, e.seq AS seq
UNION ALL
MATCH (:Outside {id: $id})<-[e:DEPENDS_ON]-(c:Claim)
RETURN c.id AS id, e.seq AS seq
