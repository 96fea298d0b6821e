package import Schema
package import Tables

/// The formats of an export, each with its options.
package enum ExportFormat: Sendable {
  case csv(CSVOptions)
  case xlsx(XLSXOptions)
  /// JSON Lines; `gzip` compresses the files of a folder, while a single file is compressed if its name says so.
  case jsonLines(gzip: Bool = false)
  /// Plain JSON: an array of objects, or one object per line.
  case plainJSON(isArray: Bool)
  /// Rows for BigQuery, one object per line, with the schema of their table in a file beside them.
  case bigQuery(DatabaseSchema)
  /// The folder of a managed export, and the database that is exported.
  case managed(DatabaseName)

  /// The file name extension, without the dot.
  package var fileExtension: String {
    switch self {
    case .csv: "csv"
    case .xlsx: "xlsx"
    case .jsonLines(let gzip): gzip ? "jsonl.gz" : "jsonl"
    case .plainJSON(let isArray): isArray ? "json" : "ndjson"
    case .bigQuery: "ndjson"
    case .managed: ""
    }
  }

  /// The name of the schema by which the cells of tables have their types; nil if it declares none of the collections.
  package func schemaOfCells(of collections: [CollectionPath]) -> String? {
    guard case .csv(let options) = self else { return nil }
    let isDeclared = collections.contains { options.schema.collection($0) != nil }
    return isDeclared ? options.schema.name : nil
  }

  /// The kind of the files; nil for those of a managed export.
  var kind: FileName.Kind? { FileName("export.\(fileExtension)").kind }
}
