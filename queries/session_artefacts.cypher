// The artefacts written in a session.
// parameters: id
// columns: id, seq
MATCH (:Node {id: $id})<-[:IN_SESSION]-(a:Node)
WHERE a.kind = 'artefact'
RETURN a.id AS id, a.seq AS seq
