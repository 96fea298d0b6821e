/// A stored version of a document.
struct StoredDocument: Sendable, Equatable {
  /// The path below the database.
  var path: String
  /// The encoded path; see ``NameKey``.
  var key: [UInt8]
  /// The creation time in microseconds since 1970.
  var createTime: Int64
  /// The time of the last change in microseconds since 1970.
  var updateTime: Int64
  /// The map in REST JSON; `{}` if it is empty.
  var fields: [UInt8]
}

/// A row of a scan, read in place; valid until the scan continues.
struct DocumentRow {
  let reader: StatementReader

  var key: UnsafeRawBufferPointer { reader.bytes(0) }
  var path: UnsafeRawBufferPointer { reader.bytes(1) }
  var createTime: Int64 { reader.integer(2) }
  var updateTime: Int64 { reader.integer(3) }
  var fields: UnsafeRawBufferPointer { reader.bytes(4) }

  /// Returns a copy that outlives the scan.
  func copied() -> StoredDocument {
    StoredDocument(
      path: reader.string(1),
      key: reader.array(0),
      createTime: createTime,
      updateTime: updateTime,
      fields: reader.array(4)
    )
  }
}
