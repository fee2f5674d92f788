// All claims of one slot (edge positive or negative) and everything that backs one of them (edge backing): whole
// records, read from the slot's own edges.
// parameters: id
// columns: edge, seq, body
MATCH (:Node {id: $id})<-[e:IN_SLOT]-(n:Node)
RETURN e.kind AS edge, e.seq AS seq, e.body AS body
