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

  /// How values are written, for the manifest: also the schema by which they have their types, if it declares one of the
  /// collections.
  package func writing(of collections: [CollectionPath], by schema: DatabaseSchema) -> TableWriting {
    var writing = TableWriting()
    switch self {
    case .csv(let options): writing = options.writing
    case .plainJSON: break
    case .xlsx, .jsonLines, .bigQuery, .managed: return writing
    }
    if collections.contains(where: { schema.collection($0) != nil }) { writing.schema = schema.name }
    return writing
  }

  /// The kind of the files; nil for those of a managed export.
  package var kind: FileName.Kind? { FileName("export.\(fileExtension)").kind }
}
