// The pairs of a positive claim with the later ones of its slot that differ in their object and may hold at one time.
// parameters: id
// columns: left, right
MATCH (a:Node {id: $id})-[x:IN_SLOT]->(s:Node)
OPTIONAL MATCH (s)<-[y:IN_SLOT]-(b:Node)
WITH a, x, y, b
WHERE x.kind = 'positive' AND y.kind = 'positive' AND a.id < b.id AND x.object_norm <> y.object_norm
  AND x.from_lo < y.to_hi AND y.from_lo < x.to_hi
RETURN a.id AS left, b.id AS right
ORDER BY left, right
