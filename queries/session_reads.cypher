// The reads made in a session.
// parameters: id
// columns: seq, body
MATCH (:Session {id: $id})<-[:IN_SESSION]-(r:Retrieval)
RETURN r.seq AS seq, r.body AS body
