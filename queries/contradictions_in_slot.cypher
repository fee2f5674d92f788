// The pairs of positive claims of one slot that differ in their object and may hold at one time, with that time.
// Whether a pair is a contradiction is for the predicate's declaration to say.
// parameters: id
// columns: left, right, left_object, right_object, overlap_from, overlap_to
MATCH (s:Slot {id: $id})<-[:IN_SLOT]-(a:Claim)
MATCH (s)<-[:IN_SLOT]-(b:Claim)
WHERE a.id < b.id AND a.polarity = 'positive' AND b.polarity = 'positive' AND a.object_norm <> b.object_norm
  AND a.from_lo < b.to_hi AND b.from_lo < a.to_hi
RETURN a.id AS left, b.id AS right, a.object AS left_object, b.object AS right_object,
  CASE WHEN a.from_lo > b.from_lo THEN a.from_lo ELSE b.from_lo END AS overlap_from,
  CASE WHEN a.to_hi < b.to_hi THEN a.to_hi ELSE b.to_hi END AS overlap_to
ORDER BY left, right
