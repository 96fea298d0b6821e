import FirestoreModels

/// The managed service of the embedded store: exports and imports as long-running operations.
extension ServiceCall {
  /// The most operations that may run at once (https://firebase.google.com/docs/firestore/quotas).
  private static var maximumRunning: Int { 50 }

  // MARK: Starting

  func exportDocuments(_ database: DatabaseName) throws {
    _ = try parameters()
    let request = try decoder.exportDocuments(self.request.body)
    let prefix = try request.checkedPrefix("output_uri_prefix")
    try request.checkCollections()
    let now = store.clock.now()
    if let time = request.snapshotTime {
      if time > now { throw FirestoreError.invalid("The snapshot_time is in the future.") }
      if time < now - DocumentStore.retention {
        throw FirestoreError(
          .failedPrecondition,
          "The snapshot_time is older than the earliest version time."
        )
      }
    }
    let started = try store.write(database) { transaction, present in
      let table = try OperationTable(making: transaction.db)
      try checkRunning(table)
      // For a bucket alone, the service makes the prefix from the time.
      let prefix =
        prefix.utf8.dropFirst("gs://".utf8.count).contains(UInt8(ascii: "/"))
        ? prefix : "\(prefix)/\(Timestamp(microseconds: now))"
      if try table.export(at: prefix) != nil {
        throw FirestoreError.invalid("Path already exists: \(Self.metadataFile(of: prefix))")
      }
      var operation = try table.insert(
        StoredOperation(
          id: Self.automaticID(),
          kind: .exportDocuments,
          prefix: prefix,
          collections: request.collections,
          snapshotTime: request.snapshotTime,
          startTime: now
        ),
        of: transaction.database
      )
      let snapshot =
        try request.snapshotTime.map {
          try StoreSnapshot(transaction.db, database, readTime: $0, now: now)
        } ?? present
      try Self.copy(snapshot, request.collections, into: table, operation.row)
      (operation.documents, operation.bytes) = try table.size(of: operation, [])
      try table.update(operation)
      return operation
    }
    respond { started.write(to: &$0, in: database) }
  }

  /// Copies the documents of collection groups, or all.
  private static func copy(
    _ snapshot: StoreSnapshot,
    _ collections: [String],
    into table: OperationTable,
    _ row: Int64
  ) throws {
    let groups: [String?] = collections.isEmpty ? [nil] : collections
    for group in groups {
      try snapshot.scan(StoreSnapshot.Scope(group: group), KeyRange(below: [])) { document in
        let id = group ?? Self.collection(of: document.path)
        try table.add(path: document.path, collection: id, fields: document.fields, to: row)
        return true
      }
    }
  }

  private static func collection(of path: UnsafeRawBufferPointer) -> String {
    let segments = path.split(separator: UInt8(ascii: "/"))
    return segments.count > 1 ? String(decoding: segments[segments.count - 2], as: UTF8.self) : ""
  }

  func importDocuments(_ database: DatabaseName) throws {
    _ = try parameters()
    let request = try decoder.importDocuments(self.request.body)
    let prefix = try request.checkedPrefix("input_uri_prefix")
    try request.checkCollections()
    let now = store.clock.now()
    let started = try store.write(database) { transaction, _ in
      let table = try OperationTable(making: transaction.db)
      try checkRunning(table)
      guard let export = try table.export(at: prefix), export.state == .successful else {
        throw FirestoreError(
          .notFound,
          "Google Cloud Storage file does not exist: \(Self.metadataFile(of: prefix))"
        )
      }
      for id in request.collections where !export.collections.contains(where: { $0.isIdentical(to: id) }) {
        throw FirestoreError.invalid("The export was not made of the collection '\(id)' by name.")
      }
      var operation = StoredOperation(
        id: Self.automaticID(),
        kind: .importDocuments,
        prefix: prefix,
        collections: request.collections,
        startTime: now
      )
      (operation.documents, operation.bytes) = try table.size(of: export, request.collections)
      return try table.insert(operation, of: transaction.database)
    }
    respond { started.write(to: &$0, in: database) }
  }

  private func checkRunning(_ table: OperationTable) throws {
    guard try table.countRunning() < Self.maximumRunning else {
      throw FirestoreError(.resourceExhausted, "Too many concurrent exports and imports.")
    }
  }

  /// The file that completes an export: `/bucket/a/b/b.overall_export_metadata`.
  private static func metadataFile(of prefix: String) -> String {
    let path = prefix.utf8.dropFirst("gs:/".utf8.count)
    let name = path.split(separator: UInt8(ascii: "/")).last.map { String(Substring($0)) } ?? ""
    return "\(Substring(path))/\(name).overall_export_metadata"
  }

  // MARK: Operations

  /// `operations.get`, which advances the operation.
  func getOperation(_ database: DatabaseName, _ id: String) throws {
    _ = try parameters()
    let operation = try change(id, of: database) { operation, table, transaction in
      let before = operation.completedDocuments
      operation.advance(at: store.clock.now())
      switch (operation.kind, operation.state) {
      case (.importDocuments, _):
        try Self.apply(operation, from: before, table, &transaction)
      case (.exportDocuments, .cancelled): try table.removeDocuments(of: operation)
      case (.exportDocuments, _): break
      }
    }
    respond { operation.write(to: &$0, in: database) }
  }

  /// `operations.cancel`; one that has ended stays as it is.
  func cancelOperation(_ database: DatabaseName, _ id: String) throws {
    _ = try parameters()
    try decoder.empty(request.body)
    _ = try change(id, of: database) { operation, _, _ in operation.cancel() }
    out.bytes.append(contentsOf: "{}".utf8)
  }

  /// `operations.delete`: the operation is no longer listed, and not cancelled.
  func deleteOperation(_ database: DatabaseName, _ id: String) throws {
    _ = try parameters()
    _ = try change(id, of: database) { operation, table, _ in try table.forget(operation) }
    out.bytes.append(contentsOf: "{}".utf8)
  }

  private func change(
    _ id: String,
    of database: DatabaseName,
    _ body: (inout StoredOperation, OperationTable, inout WriteTransaction) throws -> Void
  ) throws -> StoredOperation {
    let unknown = FirestoreError(.notFound, "Operation \"\(database)/operations/\(id)\" not found.")
    // Looked up in a read first: asking for an operation does not create a database.
    let isKnown = try store.read(database) { snapshot in
      guard let row = snapshot.database, let table = try OperationTable(snapshot.db) else { return false }
      return try table.operation(id, of: row) != nil
    }
    guard isKnown else { throw unknown }
    return try store.write(database) { transaction, _ in
      let table = try OperationTable(making: transaction.db)
      guard var operation = try table.operation(id, of: transaction.database) else { throw unknown }
      let before = operation
      try body(&operation, table, &transaction)
      if operation != before { try table.update(operation) }
      return operation
    }
  }

  /// Writes the documents that an import has completed since `offset`, replacing those of the same name only.
  private static func apply(
    _ operation: StoredOperation,
    from offset: Int64,
    _ table: OperationTable,
    _ transaction: inout WriteTransaction
  ) throws {
    guard operation.completedDocuments > offset, let export = try table.export(at: operation.prefix) else {
      return
    }
    try table.forEachDocument(
      of: export,
      operation.collections,
      from: offset,
      to: operation.completedDocuments
    ) { path, fields in
      guard let path = DocumentPath(path) else {
        throw FirestoreError(.dataLoss, "A document of an export in the data file has no valid path.")
      }
      let key = NameKey.key(path.string)
      if let current = try transaction.current(key) {
        if current.fields != fields { try transaction.update(current, fields: fields) }
      } else {
        try transaction.insert(path, key: key, fields: fields)
      }
    }
  }

  /// `operations.list`, in the order in which they were started; without filters.
  func listOperations(_ database: DatabaseName) throws {
    let parameters = try parameters(["filter", "pageSize", "pageToken"])
    guard parameters.text("filter")?.isEmpty ?? true else {
      throw FirestoreError(.unimplemented, "The embedded store does not filter operations.")
    }
    let count = try Self.pageSize(try parameters.int32("pageSize"), standard: 100, maximum: 100)
    let parts = ["listOperations", database.description]
    let token = try PageToken.decode(parameters.text("pageToken") ?? "", for: parts, decoder)
    let operations = try store.read(database) { snapshot -> [StoredOperation] in
      guard let row = snapshot.database, let table = try OperationTable(snapshot.db) else { return [] }
      return try table.operations(of: row, after: token?.values.first?.integer ?? 0, limit: count + 1)
    }
    respond {
      $0.object {
        let page = operations.prefix(count)
        $0.member("operations", page) { operation, json in operation.write(to: &json, in: database) }
        if operations.count > count, let last = page.last {
          $0.member("nextPageToken", PageToken([.integer(last.row)], for: parts).text)
        }
      }
    }
  }
}
