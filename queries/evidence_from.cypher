// The evidence that came from a source, in a session, or by a principal.
// parameters: id
// columns: id, seq
MATCH (:Source {id: $id})<-[:FROM_SOURCE]-(e:Evidence)
RETURN e.id AS id, e.seq AS seq
UNION ALL
MATCH (:Session {id: $id})<-[:IN_SESSION]-(e:Evidence)
RETURN e.id AS id, e.seq AS seq
UNION ALL
MATCH (:Principal {id: $id})<-[:BY]-(e:Evidence)
RETURN e.id AS id, e.seq AS seq
