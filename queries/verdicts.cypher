// What the gate decided about a claim or artefact.
// parameters: id
// columns: seq, body
MATCH (:Node {id: $id})<-[:ABOUT]-(v:Node)
WHERE v.kind = 'verdict'
RETURN v.seq AS seq, v.body AS body
