// The pairs of positive claims of one slot, anywhere, that differ in their object and may hold at one time: a page of
// them, in order, from after a first id on.
// parameters: after, limit
// columns: left, right
// sweep
MATCH (a:Claim)-[:IN_SLOT]->(s:Slot)<-[:IN_SLOT]-(b:Claim)
WHERE a.id > $after AND a.id < b.id AND a.polarity = 'positive' AND b.polarity = 'positive'
  AND a.object_norm <> b.object_norm AND a.from_lo < b.to_hi AND b.from_lo < a.to_hi
RETURN a.id AS left, b.id AS right
ORDER BY left, right
LIMIT $limit
