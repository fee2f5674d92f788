// Pattern C4: the pairs of claims of one predicate that say the same object of different subjects.
// A page of them in order, from after a pair on.
// parameters: predicate, left, right, limit
// columns: left, right
// sweep
MATCH (a:Node)-[x:OBJECT]->(:Node)<-[y:OBJECT]-(b:Node)
WHERE x.predicate = $predicate AND y.predicate = $predicate AND x.claim < y.claim
  AND (x.claim > $left OR (x.claim = $left AND y.claim > $right))
MATCH (a)-[:SUBJECT]->(s:Node)
MATCH (b)-[:SUBJECT]->(t:Node)
WHERE s.id <> t.id
RETURN x.claim AS left, y.claim AS right
ORDER BY left, right
LIMIT $limit
