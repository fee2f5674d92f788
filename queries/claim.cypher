// One claim and all its justifications: whole records, read from the claim's own edges.
// parameters: id
// columns: edge, seq, body
MATCH (:Claim {id: $id})-[e:IN_SLOT|HEAD]->(n:Slot:Justification)
RETURN label(e) AS edge, e.seq AS seq, e.body AS body
