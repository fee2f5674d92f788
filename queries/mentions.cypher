// The newest claims whose subject or object is an entity, newest first.
// parameters: id, limit
// columns: id, seq
MATCH (:Entity {id: $id})<-[e:SUBJECT|OBJECT]-(c:Claim)
RETURN DISTINCT c.id AS id, e.seq AS seq
ORDER BY seq DESC, id DESC
LIMIT $limit
