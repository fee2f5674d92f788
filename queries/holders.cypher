// The claims of one predicate that have an entity as their object.
// parameters: id, predicate
// columns: id, seq
MATCH (:Node {id: $id})<-[e:OBJECT]-(:Node)
WHERE e.predicate = $predicate
RETURN e.claim AS id, e.seq AS seq
