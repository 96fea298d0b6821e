/// Applies the writes of a commit to a transaction in order.
struct WriteApplier {
  private let database: DatabaseName
  private let runner: QueryRunner

  struct Result {
    /// The update time in microseconds since 1970; nil after a delete.
    var updateTime: Int64?
    /// The transform results in order.
    var transforms: [Value] = []
    /// The document after the write; nil after a delete.
    var document: StoredDocument?
  }

  init(_ database: DatabaseName, _ runner: QueryRunner) {
    self.database = database
    self.runner = runner
  }

  /// Applies one write.
  ///
  /// - Throws: ``FirestoreError`` if its precondition fails or the document is invalid.
  func apply(_ write: Write, to transaction: inout WriteTransaction) throws -> Result {
    let current = try transaction.current(write.path)
    try check(write, current)

    switch write.operation.decoded {
    case .delete, .set:
      if let current { try transaction.delete(current) }
      return Result()
    case .update(let fields, let mask):
      let time = transaction.commitTime
      let (rendered, transforms) = try self.fields(write, fields, mask, current, time)
      var document = StoredDocument(
        path: write.path.string,
        createTime: current?.createTime ?? time,
        updateTime: time,
        fields: rendered
      )
      if let current, current.fields == rendered {
        document.updateTime = current.updateTime
      } else if let current {
        try transaction.update(current, fields: rendered)
      } else {
        try transaction.insert(write.path, fields: rendered)
      }
      return Result(updateTime: document.updateTime, transforms: transforms, document: document)
    }
  }

  private func check(_ write: Write, _ current: DocumentTable.Row?) throws(FirestoreError) {
    let name = database.name(of: write.path)
    switch write.precondition {
    case nil: break
    case .exists(true)?:
      if current == nil { throw FirestoreError(.notFound, "No document to update: \(name)") }
    case .exists(false)?:
      if current != nil { throw FirestoreError(.alreadyExists, "Document already exists: \(name)") }
    case .updateTime(let required)?:
      guard required.nanoseconds % 1000 == 0 else {
        throw .invalid("update_time must be in microseconds.")
      }
      let stored = current?.updateTime ?? 0
      if current != nil, required.microseconds > stored {
        throw .invalid("Invalid base version, it is greater than the stored version: \(name)")
      }
      if stored != required.microseconds {
        throw FirestoreError(
          .failedPrecondition,
          "the stored version (\(stored)) does not match the required base version (\(required.microseconds))"
        )
      }
    }
  }

  /// The stored form of the fields after the write, and the transform results.
  private func fields(
    _ write: Write,
    _ new: FieldMap,
    _ mask: [FieldPath]?,
    _ current: DocumentTable.Row?,
    _ commitTime: Int64
  ) throws -> ([UInt8], [Value]) {
    // Transforms are applied to the stored form.
    let new = new.asStored
    var fields = new
    if let mask {
      fields = try current?.fields.withUnsafeBytes { try runner.fields($0) } ?? FieldMap()
      for path in mask { fields[path] = new[path] }
    }
    var results: [Value] = []
    let time = Timestamp(microseconds: commitTime)
    for transform in write.transforms {
      results.append(try FieldTransforms.apply(transform, to: &fields, commitTime: time))
    }
    // Without mask and transforms the fields were already validated.
    if mask != nil || !write.transforms.isEmpty { try WriteValidation.check(write.path, fields) }
    try IndexEntries.check(fields, of: write.path)
    var json = JSONWriter(capacity: 1024)
    json.fields(fields.asStored)
    return (json.bytes, results)
  }
}
