// Patterns C6 and C7: the pairs of a claim of one predicate and a claim of another about the same subject.
// A page of them in order, from after a pair on.
// parameters: predicate, other, left, right, limit
// columns: left, right
// sweep
MATCH (:Node)-[x:SUBJECT]->(:Node)<-[y:SUBJECT]-(:Node)
WHERE x.predicate = $predicate AND y.predicate = $other AND x.claim <> y.claim
  AND (x.claim > $left OR (x.claim = $left AND y.claim > $right))
RETURN x.claim AS left, y.claim AS right
ORDER BY left, right
LIMIT $limit
