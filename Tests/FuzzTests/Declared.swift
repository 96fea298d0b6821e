import FirestoreModels
import Schema

@testable import MigrationEngine

private let database = DatabaseName(project: "p")

/// A migration's file, and what its steps make of some documents: what they make is at rest.
func fuzzMigration(_ input: [UInt8]) {
  let migration: DeclarativeMigration
  do throws(Failure) {
    migration = try MigrationFile(
      "m.yaml",
      in: LiteralContext(database: database),
      reservedIDs: [],
      schema: .none
    ).parse(input)
  } catch {
    expect(error.kind == .inputMalformed, "a migration fails with \(error.kind)")
    return
  }
  expect(!migration.steps.isEmpty && !migration.sources.isEmpty, "a migration of nothing")
  for (number, fields) in samples.enumerated() {
    let document = RawDocument(path: DocumentPath(migration.scope.collection, "d\(number)"), fields: fields)
    let outcome = migration.outcome(for: document)
    guard case .change(let change) = outcome.action else { continue }
    expect(change.path == document.path && change.before == document, "another document is changed")
    guard let after = change.after else {
      expect(migration.deletesForGood, "a document is deleted by no step that deletes")
      continue
    }
    let again = migration.outcome(for: RawDocument(path: document.path, fields: after))
    if case .change(let second) = again.action {
      expect(second.after == after && second.after != nil, "steps change what they made")
    }
  }
}

/// Every type under the names that the seeds use.
private let samples: [FieldMap] = {
  let values: [Value] = [
    .null, .boolean(true), .integer(1_767_323_045), .integer(.max), .double(1.5), .double(.nan), .string(""),
    .string(" Ana  Peña 729-111 22 33 "), .string("2026-01-02"), .string("9"), .string("a"),
    .array([.string("a")]), .map(FieldMap()),
  ]
  return values.map { value in
    var fields = FieldMap()
    for name in ["a", "b", "c"] { fields[FieldPath(field: name)] = value }
    fields[FieldPath(field: "m")] = .map(fields)
    return fields
  }
}()
