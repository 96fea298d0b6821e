/// One version of a document as it is stored.
struct StoredDocument: Sendable, Equatable {
  /// The path below the database.
  var path: String
  /// Its ``NameKey``.
  var key: [UInt8]
  /// When it was created, in microseconds since 1970.
  var createTime: Int64
  /// When it last changed, in microseconds since 1970.
  var updateTime: Int64
  /// Its map as the service's JSON; `{}` where it is empty.
  var fields: [UInt8]
}

/// A row of a scan, read in place; good until the scan goes on.
struct DocumentRow {
  let reader: StatementReader

  /// The key's bytes.
  var key: UnsafeRawBufferPointer { reader.bytes(0) }
  /// The path's bytes.
  var path: UnsafeRawBufferPointer { reader.bytes(1) }
  /// When it was created.
  var createTime: Int64 { reader.integer(2) }
  /// When it last changed.
  var updateTime: Int64 { reader.integer(3) }
  /// The map's JSON.
  var fields: UnsafeRawBufferPointer { reader.bytes(4) }

  /// A copy that outlives the scan.
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
