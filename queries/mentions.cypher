// The newest claims whose subject or object is an entity, newest first.
// parameters: id, limit
// columns: id, seq
MATCH (:Node {id: $id})<-[e:SUBJECT|OBJECT]-(c:Node)
RETURN DISTINCT e.claim AS id, e.seq AS seq
ORDER BY seq DESC, id DESC
LIMIT $limit
