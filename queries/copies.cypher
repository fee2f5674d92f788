// The evidence that says it was copied from a source.
// parameters: id
// columns: id, seq
MATCH (:Source {id: $id})<-[:COPY_OF]-(e:Evidence)
RETURN e.id AS id, e.seq AS seq
UNION ALL
MATCH (:Outside {id: $id})<-[:COPY_OF]-(e:Evidence)
RETURN e.id AS id, e.seq AS seq
