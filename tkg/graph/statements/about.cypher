// What the graph says about itself.

// name: migrations
MATCH (m:Migration)
RETURN m.number, m.digest
ORDER BY m.number

// name: add_migration
CREATE (:Migration {number: $number, digest: $digest})

// name: identity
MATCH (a:Identity)
RETURN a.key, a.value

// name: add_identity
CREATE (:Identity {key: $key, value: $value})

// name: applied
MATCH (a:Applied)
RETURN a.seq, a.hash
ORDER BY a.seq DESC
LIMIT 1

// name: add_applied
CREATE (:Applied {seq: $seq, hash: $hash})

// name: announced
MATCH (b:Bulk)
RETURN b.upto
ORDER BY b.upto DESC
LIMIT 1

// name: announce
CREATE (:Bulk {upto: $upto})

// name: has_source
MATCH (s:Source {id: $id})
RETURN s.id

// name: slot_of
MATCH (:Claim {id: $id})-[:IN_SLOT]->(s:Slot)
RETURN s.id

// name: tables
CALL show_tables()
RETURN name, type
