// All claims of one slot and everything that backs one of them: whole records, read from the slot's own edges.
// parameters: id
// columns: edge, seq, body
MATCH (:Slot {id: $id})<-[e:IN_SLOT|BACKS]-(n:Claim:Justification)
RETURN label(e) AS edge, e.seq AS seq, e.body AS body
