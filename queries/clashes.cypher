// The pairs of positive claims of one slot, anywhere, that differ in their object and may hold at one time: a page of
// them, in order, from after a first id on.
// parameters: after, limit
// columns: left, right
// sweep
MATCH (a:Node)-[x:IN_SLOT]->(s:Node)<-[y:IN_SLOT]-(b:Node)
WHERE a.id > $after AND a.id < b.id AND x.kind = 'positive' AND y.kind = 'positive' AND x.object_norm <> y.object_norm
  AND x.from_lo < y.to_hi AND y.from_lo < x.to_hi
RETURN a.id AS left, b.id AS right
ORDER BY left, right
LIMIT $limit
