// The pairs of positive claims of one slot that differ in their object and may hold at one time, with that time.
// Whether a pair is a contradiction is for the predicate's declaration to say.
// parameters: id
// columns: left, right, left_object, right_object, overlap_from, overlap_to
MATCH (s:Node {id: $id})<-[x:IN_SLOT]-(a:Node)
MATCH (s)<-[y:IN_SLOT]-(b:Node)
WHERE x.kind = 'positive' AND y.kind = 'positive' AND a.id < b.id AND x.object_norm <> y.object_norm
  AND x.from_lo < y.to_hi AND y.from_lo < x.to_hi
RETURN a.id AS left, b.id AS right, x.object_norm AS left_object, y.object_norm AS right_object,
  CASE WHEN x.from_lo > y.from_lo THEN x.from_lo ELSE y.from_lo END AS overlap_from,
  CASE WHEN x.to_hi < y.to_hi THEN x.to_hi ELSE y.to_hi END AS overlap_to
ORDER BY left, right
