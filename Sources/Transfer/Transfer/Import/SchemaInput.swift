package import Schema
import Tables

/// What an import does about documents that break the schema (`--validate`).
package enum SchemaPolicy: String, Codable, Sendable, CaseIterable {
  /// They are errors in the input, as malformed lines and cells are.
  case reject
  /// They are imported, and listed in `warnings.csv` of the run.
  case warn
  /// They are not looked at.
  case off
}

/// How an import applies the schema of its target.
package struct SchemaRules: Sendable {
  package var schema = DatabaseSchema.none
  /// What is done about documents that break it; nil for what suits the source: reject for tables, warn for JSON Lines,
  /// off for the folder of an export.
  package var policy: SchemaPolicy?
  /// Whether missing fields get their defaults, and the field of the ID the ID.
  package var fillsDefaults = false
  /// Who sets creation and update times.
  package var times = LoadTimes.changed
  /// Whether documents hold only the fields to change, so that none of them is missing.
  package var isPartial = false

  package init() {}

  func policy(for source: ImportSource) -> SchemaPolicy {
    policy ?? (source.isExported ? .off : source.format.isTable ? .reject : .warn)
  }

  /// The document with its defaults.
  ///
  /// - Parameter isNew: Whether it is not there; a document of fields to change gets none else.
  func filled(_ document: RawDocument, _ collection: CollectionSchema, isNew: Bool = false) -> RawDocument {
    guard fillsDefaults, isNew || !isPartial, collection.covers(document.path) else { return document }
    var document = document
    if let idField = collection.idField, document.fields[idField] == nil {
      document.fields[idField] = .string(document.path.id)
    }
    for field in collection.fields {
      guard let value = field.defaultValue, document.fields[field.path] == nil else { continue }
      // The default of a field in a map does not make the map.
      let parent = FieldPath(segments: Array(field.path.segments.dropLast()))
      if let parent, document.fields[parent]?.map.map({ $0.vector != nil }) ?? true { continue }
      document.fields[field.path] = value
    }
    return document
  }

  /// A document that is not there, as it is made.
  func completed(_ document: RawDocument) -> RawDocument {
    guard let collection = schema.collection(document.path.collection) else { return document }
    return filled(document, collection, isNew: true)
  }

  /// How a document breaks the schema, for the mode and the options of the import.
  func violations(in document: RawDocument, _ collection: CollectionSchema) -> [SchemaViolation] {
    collection.breaches(by: document, settingTimes: setTimes(of: collection), isPartial: isPartial)
  }

  /// How a document on the tape of its line breaks the schema; nil where it has to be decoded to find out.
  func violations(in document: WireDocument, _ declared: DeclaredCollections) -> [SchemaViolation]? {
    guard let collection = declared.collection(of: document.path) else { return [] }
    do throws(WireError) {
      let found = try collection.schema.breaches(
        by: document,
        settingTimes: times == .server ? collection.serverTimes : []
      )
      return isPartial && !found.isEmpty ? nil : found
    } catch {
      return nil
    }
  }

  private func setTimes(of collection: CollectionSchema) -> [FieldPath] {
    times == .server ? collection.serverTimes : []
  }
}

/// What a schema says of the collections of documents, which mostly come collection by collection.
final class DeclaredCollections {
  private let schema: DatabaseSchema
  private var path: CollectionPath?
  private var last: DeclaredCollection?

  init(_ schema: DatabaseSchema) { self.schema = schema }

  /// The schema of a document's collection; nil where it is not declared.
  func collection(of document: DocumentPath) -> DeclaredCollection? {
    if path.map({ !document.isIn($0) }) ?? true {
      path = document.collection
      last = schema.collection(document.collection).map(DeclaredCollection.init)
    }
    return last
  }
}

/// A class, because a schema's values are large to copy for each document.
final class DeclaredCollection: Sendable {
  let schema: CollectionSchema
  let serverTimes: [FieldPath]

  init(_ schema: CollectionSchema) { (self.schema, serverTimes) = (schema, schema.serverTimes) }

  /// The option that sets a field which is missing, for the end of a message; nothing where there is none.
  func way(to violation: SchemaViolation, fillsDefaults: Bool) -> String {
    guard violation.isMissing, let field = violation.field else { return "" }
    if serverTimes.contains(field) { return " (--server-times sets it)" }
    let hasDefault = field == schema.idField || schema.field(field)?.defaultValue != nil
    let isFilled = hasDefault && violation.value == nil && !fillsDefaults
    return isFilled ? " (--defaults fills it)" : ""
  }
}

/// How the document that was read last breaks the schema, where its line said so before it was decoded.
final class TapeViolations {
  private var found: [SchemaViolation] = []

  /// Takes what was found, and returns whether the document need not be decoded for it.
  func take(_ violations: [SchemaViolation]?, ifOnlyWarned warns: Bool) -> Bool {
    guard let violations, violations.isEmpty || warns else { return false }
    found = violations
    return true
  }

  func removed() -> [SchemaViolation] {
    defer { if !found.isEmpty { found = [] } }
    return found
  }
}

/// An input whose documents are compared with the schema.
final class SchemaInput: DocumentInput {
  private let input: any DocumentInput
  /// What its errors name: the file, and what a document is in it.
  private let (label, unit): (String, String)
  private let rules: SchemaRules
  private let policy: SchemaPolicy
  private let declared: DeclaredCollections
  private let known: TapeViolations

  /// - Parameter known: Where the input leaves what it knows of a document that it does not decode.
  init(
    _ input: any DocumentInput,
    of source: ImportSource,
    _ rules: SchemaRules,
    knowing known: TapeViolations = TapeViolations()
  ) {
    (self.input, self.known) = (input, known)
    (label, unit) = (source.label, source.unit)
    self.rules = rules
    policy = rules.policy(for: source)
    declared = DeclaredCollections(rules.schema)
  }

  func next() throws(Failure) -> DocumentRow? {
    guard var row = try input.next() else { return nil }
    let found = known.removed()
    if !found.isEmpty {
      let collection = row.path.flatMap(declared.collection(of:))
      row.warnings += found.map { fault($0, in: row, collection) }
    }
    guard var document = row.document else { return row }
    guard let collection = declared.collection(of: document.path) else { return row }
    if rules.fillsDefaults {
      document = rules.filled(document, collection.schema)
      row.content = .document(.decoded(document))
    }
    if policy == .off { return row }
    let violations = rules.violations(in: document, collection.schema)
    if violations.isEmpty { return row }
    // That a value could not be read is said already; without it the document is not complete all the same.
    let unread = row.skipped
    let isIncomplete = !unread.isEmpty && violations.contains(where: \.isMissing)
    let faults = violations.filter { $0.field.map { !unread.contains($0) } ?? true }
      .map { fault($0, in: row, collection) }
    if faults.isEmpty, policy == .warn || !isIncomplete { return row }
    if policy == .warn {
      row.warnings += faults
      return row
    }
    row.faults += faults
    // What is left once the fields with errors are left out; nothing where one is missing.
    var rest: RawDocument? = document
    for violation in violations {
      if let field = violation.field, violation.kind != .missing, violation.kind != .idMissing {
        rest?.fields[field] = nil
        row.skipped.append(field)
      } else {
        rest = nil
      }
    }
    row.content = .refused(document, rest: rest)
    return row
  }

  func skip(through number: Int) throws(Failure) { try input.skip(through: number) }

  var position: Int { input.position }

  var notices: [String] { input.notices }

  var warnings: [String] { input.warnings }

  var reading: String { input.reading }

  var headings: MetHeadings { input.headings }

  func rejected(_ reason: String) -> RejectedRow? { input.rejected(reason) }

  func cell(of field: FieldPath?) -> Cell? { input.cell(of: field) }

  private func fault(
    _ violation: SchemaViolation,
    in row: DocumentRow,
    _ collection: DeclaredCollection?
  ) -> RowFault {
    let cell = input.cell(of: violation.field)
    let name = violation.field?.description ?? "the document's id"
    // Whatever the value is of a field that must not be there, it is not the reason.
    let isOfValue = violation.kind != .forbidden && violation.kind != .undeclared
    let remark = isOfValue ? Spacing.remark(on: cell?.value ?? violation.value?.string ?? "") : ""
    let expected =
      violation.isMissing
      ? "\(cell == nil ? "\(name): " : "")\(violation.expected), and it is missing"
      : remark.isEmpty ? violation.expected : violation.expected + remark
    let (row, line, fillsDefaults) = (row.row, row.number, rules.fillsDefaults)
    let (path, unit) = (label, unit)
    return RowFault(
      row: row ?? line,
      column: cell?.column,
      heading: cell?.heading ?? violation.field.map { _ in name },
      value: cell?.value,
      found: violation.value,
      expected: expected,
      code: violation.kind.rawValue,
      failure: {
        let place = row.map { CellRow.place(row: $0, line: line) } ?? "\(unit) \(line)"
        let label = cell?.name ?? name
        let way = collection?.way(to: violation, fillsDefaults: fillsDefaults) ?? ""
        let cause =
          violation.isMissing
          ? "\(place)\(cell == nil ? ":" : ",") \(label) is missing; expected \(violation.expected)\(way)"
          : "\(place), \(label): expected \(expected)"
        return Failure(.inputMalformed, "import", path: path, cause: cause)
      }()
    )
  }
}
