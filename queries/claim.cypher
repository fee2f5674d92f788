// One claim (edge positive or negative) and all its justifications (no edge): whole records, from the claim's own edges.
// parameters: id
// columns: edge, seq, body
MATCH (:Node {id: $id})-[e:IN_SLOT|HEAD]->(n:Node)
RETURN e.kind AS edge, e.seq AS seq, e.body AS body
