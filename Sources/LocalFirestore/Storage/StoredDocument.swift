/// A stored version of a document.
struct StoredDocument: Sendable, Equatable {
  /// The path below the database.
  var path: String
  /// The creation time in microseconds since 1970.
  var createTime: Int64
  /// The time of the last change in microseconds since 1970.
  var updateTime: Int64
  /// The map in REST JSON; `{}` if it is empty.
  var fields: [UInt8]

  /// Calls `body` with the document as a query result, which must not escape.
  func withResult<Result>(_ body: (QueryResult) throws -> Result) rethrows -> Result {
    var path = path
    return try path.withUTF8 { path in
      try fields.withUnsafeBytes { fields in
        try body(
          QueryResult(
            path: UnsafeRawBufferPointer(path),
            createTime: createTime,
            updateTime: updateTime,
            fields: fields
          )
        )
      }
    }
  }
}

/// A row of a scan, read in place; valid until the scan continues.
struct StoredRow {
  let reader: StatementReader

  var key: UnsafeRawBufferPointer { reader.bytes(0) }
  var path: UnsafeRawBufferPointer { reader.bytes(1) }
  var createTime: Int64 { reader.integer(2) }
  var updateTime: Int64 { reader.integer(3) }
  var fields: UnsafeRawBufferPointer { reader.bytes(4) }

  /// The document as a query result, valid as long as the row.
  var result: QueryResult {
    QueryResult(path: path, createTime: createTime, updateTime: updateTime, fields: fields)
  }

  /// Returns a copy that outlives the scan.
  func copied() -> StoredDocument {
    StoredDocument(
      path: reader.string(1),
      createTime: createTime,
      updateTime: updateTime,
      fields: reader.array(4)
    )
  }
}
