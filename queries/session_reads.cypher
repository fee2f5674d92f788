// The reads made in a session.
// parameters: id
// columns: seq, body
MATCH (:Node {id: $id})<-[:IN_SESSION]-(r:Node)
WHERE r.kind = 'retrieval'
RETURN r.seq AS seq, r.body AS body
