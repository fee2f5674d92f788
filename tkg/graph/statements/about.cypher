// What the graph says about itself.

// name: add_mark
CREATE (:Mark {number: $number, kind: $kind, seq: $seq, value: $value})

// name: last
MATCH (m:Mark)
WHERE m.kind = $kind
RETURN m.seq, m.value
ORDER BY m.number DESC
LIMIT 1

// name: all
MATCH (m:Mark)
WHERE m.kind = $kind
RETURN m.seq, m.value
ORDER BY m.number

// name: slot_of
MATCH (:Node {id: $id})-[e:IN_SLOT]->(s:Node)
RETURN s.id

// name: tables
CALL show_tables()
RETURN name, type
