// The pairs of a positive claim with the later ones of its slot that differ in their object and may hold at one time.
// parameters: id
// columns: left, right
MATCH (a:Claim {id: $id})-[:IN_SLOT]->(s:Slot)
MATCH (s)<-[:IN_SLOT]-(b:Claim)
WHERE a.id < b.id AND a.polarity = 'positive' AND b.polarity = 'positive'
  AND a.object_norm <> b.object_norm AND a.from_lo < b.to_hi AND b.from_lo < a.to_hi
RETURN a.id AS left, b.id AS right
ORDER BY left, right
