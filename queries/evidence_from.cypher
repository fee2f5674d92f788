// The evidence that came from a source, in a session, or by a principal.
// parameters: id
// columns: id, seq
MATCH (:Node {id: $id})<-[:FROM_SOURCE|IN_SESSION|BY]-(e:Node)
WHERE e.kind = 'evidence'
RETURN e.id AS id, e.seq AS seq
