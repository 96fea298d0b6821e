package import Schema
import Tables

/// What an import does with documents that break the schema (`--validate`).
package enum SchemaPolicy: String, Codable, Sendable, CaseIterable {
  /// Treat them as errors in the input, like malformed lines and cells.
  case reject
  /// Import them, and list them in `warnings.csv` of the run.
  case warn
  /// Do not check them.
  case off
}

/// How an import applies the schema of its target.
package struct SchemaRules: Sendable {
  package var schema = DatabaseSchema.none
  /// What to do with documents that break it; nil for the default of the source: reject for tables, warn for JSON Lines,
  /// off for the folder of an export.
  package var policy: SchemaPolicy?
  /// Whether missing fields get their defaults, and the ID field the document's ID.
  package var fillsDefaults = false
  /// Who sets creation and update times, except those of exports.
  package var times = LoadTimes.changed
  /// Whether documents hold only the fields to change, so that no field counts as missing.
  package var isPartial = false

  /// Whether documents get anything before they are written.
  var completes: Bool { fillsDefaults && !schema.isEmpty }

  func policy(for source: ImportSource) -> SchemaPolicy {
    policy ?? (source.isExported ? .off : source.format.isTable ? .reject : .warn)
  }

  /// Who sets the times of the documents of a source: those of an export are kept, so that restoring it restores them.
  func times(for source: ImportSource) -> LoadTimes {
    times == .changed && source.isExported ? .kept : times
  }

  /// Returns a document with its defaults.
  ///
  /// - Parameters:
  ///   - skipped: The fields whose values could not be used, which a default does not replace.
  ///   - isNew: Whether the document does not exist yet; one that only has fields to change gets no defaults otherwise.
  func filled(
    _ document: RawDocument,
    _ collection: CollectionSchema,
    without skipped: [FieldPath] = [],
    isNew: Bool = false
  ) -> RawDocument {
    guard fillsDefaults, isNew || !isPartial, collection.covers(document.path) else { return document }
    var document = document
    func isSkipped(_ field: FieldPath) -> Bool { skipped.contains { field.isPrefix(of: $0) } }
    if let idField = collection.idField, document.fields[idField] == nil, !isSkipped(idField) {
      document.fields[idField] = .string(document.path.id)
    }
    for field in collection.fields {
      guard let value = field.defaultValue, document.fields[field.path] == nil, !isSkipped(field.path) else {
        continue
      }
      // The default of a map's member does not create the map.
      let parent = FieldPath(segments: Array(field.path.segments.dropLast()))
      if let parent, document.fields[parent]?.map.map({ $0.vector != nil }) ?? true { continue }
      document.fields[field.path] = value.asStored
    }
    return document
  }

  /// Returns a document in the form in which it is written, with the parameters of ``filled(_:_:without:isNew:)``.
  func completed(_ document: RawDocument, without skipped: [FieldPath], isNew: Bool) -> RawDocument {
    guard let collection = schema.collection(document.path.collection) else { return document }
    return filled(document, collection, without: skipped, isNew: isNew)
  }

  /// Returns how a document breaks the schema, under the mode and the options of the import.
  func violations(in document: RawDocument, _ collection: CollectionSchema) -> [SchemaViolation] {
    collection.breaches(by: document, settingTimes: setTimes(of: collection), isPartial: isPartial)
  }

  /// Returns how a parsed document, not decoded yet, breaks the schema; nil if it has to be decoded to find out.
  func violations(in document: WireDocument, _ declared: DeclaredCollections) -> [SchemaViolation]? {
    guard let collection = declared.collection(of: document.path) else { return [] }
    let setTimes = times == .server ? collection.serverTimes : []
    let found = try? collection.schema.breaches(by: document, settingTimes: setTimes)
    return isPartial && found?.isEmpty == false ? nil : found
  }

  private func setTimes(of collection: CollectionSchema) -> [FieldPath] {
    times == .server ? collection.serverTimes : []
  }
}

/// Looks up the schemas of documents' collections, remembering the last because documents mostly arrive collection by
/// collection.
final class DeclaredCollections {
  private let schema: DatabaseSchema
  private var path: CollectionPath?
  private var last: DeclaredCollection?

  init(_ schema: DatabaseSchema) { self.schema = schema }

  /// The schema of a document's collection; nil if it is not declared.
  func collection(of document: DocumentPath) -> DeclaredCollection? {
    if path.map({ !document.isIn($0) }) ?? true {
      path = document.collection
      last = schema.collection(document.collection).map(DeclaredCollection.init)
    }
    return last
  }
}

/// The schema of a collection; a class, because a schema's values are expensive to copy for each document.
final class DeclaredCollection: Sendable {
  let schema: CollectionSchema
  let serverTimes: [FieldPath]

  init(_ schema: CollectionSchema) { (self.schema, serverTimes) = (schema, schema.serverTimes) }

  /// The option that sets a missing field, as the end of a message; empty if there is none.
  func way(to violation: SchemaViolation, fillsDefaults: Bool) -> String {
    guard violation.isMissing, let field = violation.field else { return "" }
    if serverTimes.contains(field) { return " (--server-times sets it)" }
    let hasDefault = field == schema.idField || schema.field(field)?.defaultValue != nil
    let isFilled = hasDefault && violation.value == nil && !fillsDefaults
    return isFilled ? " (--defaults fills it)" : ""
  }
}

/// How the last document breaks the schema, if its line revealed that without being decoded.
final class UndecodedViolations {
  private var found: [SchemaViolation] = []

  /// Stores violations, and returns whether the document does not have to be decoded because of them.
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

/// An input whose documents are checked against the schema; it leaves them as they are in the input.
final class SchemaInput: DocumentInput {
  private let input: any DocumentInput
  /// What its errors name: the file, and what a document is in it.
  private let (label, unit): (String, String)
  private let rules: SchemaRules
  private let policy: SchemaPolicy
  private let declared: DeclaredCollections
  private let known: UndecodedViolations

  /// - Parameter known: Where the input stores the violations of a document that it does not decode.
  init(
    _ input: any DocumentInput,
    of source: ImportSource,
    _ rules: SchemaRules,
    knowing known: UndecodedViolations = UndecodedViolations()
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
    guard let document = row.document else { return row }
    guard let collection = declared.collection(of: document.path) else { return row }
    let violations = breaches(of: document, collection.schema, without: row.skipped)
    if violations.isEmpty { return row }
    // A value that could not be read has been reported already, but without it the document is incomplete nevertheless.
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
    // The rest is the document without the fields with errors; nil if a field is missing, or would be.
    var rest: RawDocument? = document
    for violation in violations {
      if let field = violation.field, violation.kind != .missing, violation.kind != .idMissing {
        rest?.fields.remove(field)
        row.skipped.append(field)
      } else {
        rest = nil
      }
    }
    if let left = rest,
      breaches(of: left, collection.schema, without: row.skipped).contains(where: \.isMissing)
    {
      rest = nil
    }
    row.content = .refused(document, rest: rest)
    return row
  }

  /// Returns how a document will break the schema once it has its defaults, which it gets when it is written.
  private func breaches(
    of document: RawDocument,
    _ collection: CollectionSchema,
    without skipped: [FieldPath]
  ) -> [SchemaViolation] {
    rules.violations(in: rules.filled(document, collection, without: skipped), collection)
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
    // If a field must not exist, its value is not the reason.
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

extension FieldMap {
  /// Removes a field, and the maps around it that have nothing else.
  fileprivate mutating func remove(_ field: FieldPath) {
    self[field] = nil
    guard let parent = FieldPath(segments: field.segments.dropLast()), self[parent]?.map?.isEmpty ?? false
    else { return }
    remove(parent)
  }
}
