// The evidence that says it was copied from a source.
// parameters: id
// columns: id, seq
MATCH (:Node {id: $id})<-[:COPY_OF]-(e:Node)
RETURN e.id AS id, e.seq AS seq
