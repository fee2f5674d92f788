// The claims that say they hold only while this one does.
// parameters: id
// columns: id, seq
MATCH (:Node {id: $id})<-[:DEPENDS_ON]-(c:Node)
RETURN c.id AS id, c.seq AS seq
