package import Files
import FirestoreModels
package import Schema

/// Writes the documents of a collection for `bq load`: a file of JSON objects, one per line, and beside it the schema of
/// the table.
///
/// A field that the schema declares has its own column. Undeclared fields, and values that do not fit their column, are in
/// the column `__rest__` as plain JSON, so that every row is loaded and nothing is lost unnoticed.
///
///     bq load --source_format=NEWLINE_DELIMITED_JSON shop.orders orders.ndjson orders.schema.json
package final class BigQueryWriter: CollectionWriter {
  package private(set) var documentCount = 0
  package private(set) var receipt: OutputFile.Receipt?

  private let collection: CollectionPath
  private let columns: [BigQueryColumn]
  private let schemaPath: String
  private let files: FileAccess
  private var file: OutputFile?
  private var json = JSONWriter()

  /// Starts a file (`.gz` compresses).
  ///
  /// - Throws: ``Failure`` of kind `cannotWrite`; `usage` for standard output, which cannot hold two files.
  package init(
    _ path: String,
    collection: CollectionPath,
    schema: DatabaseSchema,
    digest: Bool = false,
    via files: FileAccess = .local
  ) throws(Failure) {
    if path == "-" {
      throw Failure(
        .usage,
        "export",
        path: path,
        cause: "the rows and the schema of a table for BigQuery are two files",
        remedy: "Name a file or a folder."
      )
    }
    self.collection = collection
    self.files = files
    columns = BigQueryColumn.columns(of: schema.collection(collection)?.fields ?? [])
    schemaPath = Self.schemaPath(of: path)
    file = try OutputFile(path, digest: digest, via: files)
  }

  /// Returns the path of the schema beside a file of rows: `orders.schema.json` beside `orders.ndjson`.
  package static func schemaPath(of path: String) -> String {
    let stem = FileName(FilePaths.name(of: path)).stem
    let folder = path.utf8.contains(UInt8(ascii: "/")) ? "\(FilePaths.folder(of: path))/" : ""
    return "\(folder)\(stem).schema.json"
  }

  /// Returns the failure for reading a file that has a BigQuery table schema beside it; nil for any other file.
  ///
  /// Its rows are not documents: names, points and large integers are in BigQuery's form.
  ///
  /// - Throws: The errors of ``FileAccess/exists(_:)`` and of reading the schema.
  package static func refusal(ofRows path: String, via files: FileAccess) throws(Failure) -> Failure? {
    let schema = schemaPath(of: path)
    if schema.isIdentical(to: path) { return nil }
    guard try files.exists(schema) else { return nil }
    var file = try InputFile(schema, via: files)
    let bytes = try file.bytes(atMost: maximumSchema, orThrow: .malformed(schema, "it is larger than 64 MiB"))
    guard let holds = try? JSONParser().parse(bytes, { isSchema($0) }), holds else { return nil }
    return .malformed(
      path,
      "it is a table for BigQuery, of the schema \(FilePaths.name(of: schema)): 'bq load' reads it, and nothing reads it back exactly",
      remedy: "Export again, to JSON Lines (--format jsonl), and import that."
    )
  }

  private static let maximumSchema = 64 << 20

  private static func isSchema(_ json: JSONCursor) -> Bool {
    var columns = json.kind == .array ? Array(json.elements) : []
    guard let last = columns.popLast() else { return false }
    return columns.first?["name"]?.string == "__name__" && last["name"]?.string == "__rest__"
  }

  package func append(_ page: DocumentPage) throws(Failure) {
    for document in try page.documents() {
      let name = try document.path.name(below: collection)
      json.removeAll()
      json.object { json in
        json.member("__name__", String(Substring(name)))
        let rest = BigQueryRow.write(document.fields, columns, to: &json)
        if rest.isEmpty { return }
        json.key("__rest__")
        PlainJSONWriter.write(.map(rest), to: &json)
      }
      try file?.write(json.bytes)
      try file?.write("\n")
      documentCount += 1
    }
  }

  package func finish() throws(Failure) {
    guard let file = file.take() else { return }
    var schema = try OutputFile(schemaPath, via: files)
    try schema.write(schemaText)
    _ = try schema.finish()
    receipt = try file.finish()
  }

  private var schemaText: [UInt8] {
    var json = JSONWriter()
    json.array { json in
      json.object { BigQueryColumn.members("__name__", .string, false, to: &$0) }
      for column in columns { column.declare(in: &json) }
      json.object { BigQueryColumn.members("__rest__", .json, false, to: &$0) }
    }
    return json.bytes + [0x0A]
  }
}

/// Writes the members of a row.
enum BigQueryRow {
  /// The largest integer that every JSON reader preserves.
  private static let largestExact: UInt64 = (1 << 53) - 1

  /// Writes the values that fit their columns, and returns all others.
  static func write(_ fields: FieldMap, _ columns: [BigQueryColumn], to json: inout JSONWriter) -> FieldMap {
    var rest: [FieldMap.Entry] = []
    for entry in fields.entries {
      let column = columns.first { $0.field.isIdentical(to: entry.name) }
      guard let column, let others = write(entry.value, column, to: &json) else {
        rest.append(entry)
        continue
      }
      if !others.isEmpty { rest.append(FieldMap.Entry(name: entry.name, value: .map(others))) }
    }
    return FieldMap(rest)
  }

  /// Writes a member, and returns the fields of a map that have no column; nil if the value does not fit the column.
  private static func write(
    _ value: Value,
    _ column: BigQueryColumn,
    to json: inout JSONWriter
  ) -> FieldMap? {
    if column.isRepeated {
      guard let values = value.map?.vector.map({ $0.map(Value.double) }) ?? value.array,
        values.allSatisfy({ $0 != .null && fits($0, column) })
      else { return nil }
      json.key(column.name)
      json.array { json in for value in values { write(element: value, column, to: &json) } }
      return FieldMap()
    }
    if column.kind == .record, let fields = value.map, fields.vector == nil {
      json.key(column.name)
      var rest = FieldMap()
      json.object { rest = write(fields, column.columns, to: &$0) }
      return rest
    }
    guard value == .null || fits(value, column) else { return nil }
    json.key(column.name)
    write(element: value, column, to: &json)
    return FieldMap()
  }

  /// Whether a value fits entirely into a column, or into an element of a repeated one.
  private static func fits(_ value: Value, _ column: BigQueryColumn) -> Bool {
    switch (column.kind, value) {
    case (.json, _), (.string, .string), (.string, .reference), (.integer, .integer), (.double, .double),
      (.boolean, .boolean), (.timestamp, .timestamp), (.bytes, .bytes), (.geography, .geoPoint):
      true
    case (.double, .integer(let number)): number.magnitude <= largestExact
    case (.record, .map(let fields)):
      fields.vector == nil
        && fields.entries.allSatisfy { entry in
          column.columns.contains { inner in
            inner.field.isIdentical(to: entry.name) && fitsMember(entry.value, inner)
          }
        }
    default: false
    }
  }

  private static func fitsMember(_ value: Value, _ column: BigQueryColumn) -> Bool {
    if !column.isRepeated { return value == .null || fits(value, column) }
    if value.map?.vector != nil { return column.kind == .double }
    return value.array?.allSatisfy { $0 != .null && fits($0, column) } ?? false
  }

  private static func write(element value: Value, _ column: BigQueryColumn, to json: inout JSONWriter) {
    switch (column.kind, value) {
    case (.integer, .integer(let number)) where number.magnitude > largestExact: json.string(String(number))
    case (.geography, .geoPoint(let point)): json.string("POINT(\(point.longitude) \(point.latitude))")
    case (.record, .map(let fields)): json.object { _ = write(fields, column.columns, to: &$0) }
    default: PlainJSONWriter.write(value, to: &json)
    }
  }
}
