// The artefacts written in a session.
// parameters: id
// columns: id, seq
MATCH (:Session {id: $id})<-[:IN_SESSION]-(a:Artefact)
RETURN a.id AS id, a.seq AS seq
