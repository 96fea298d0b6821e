extension ServiceCall {
  // MARK: get, batchGet

  func get(_ database: DatabaseName, _ path: DocumentPath) throws {
    let parameters = try parameters(["mask.fieldPaths", "readTime", "transaction"])
    let renderer = try DocumentRenderer(
      database,
      mask: try parameters.mask("mask.fieldPaths"),
      runner: runner
    )
    let key = NameKey.key(path.string)
    try read(database, try parameters.consistency()) { context in
      context.recordRead(StoreSnapshot.Scope(), KeyRange(only: key))
      guard let document = try context.snapshot.document(key) else {
        throw FirestoreError(.notFound, "Document \"\(database.name(of: path))\" not found.")
      }
      try renderer.append(document, to: &out.bytes)
    }
  }

  /// `documents:batchGet`: each document once, in the order of the request.
  func batchGet(_ database: DatabaseName) throws {
    let request = try decoder.batchGet(self.request.body)
    var seen: Set<DocumentPath> = []
    var paths: [DocumentPath] = []
    for name in request.documents {
      guard let path = database.path(ofName: name) else {
        throw FirestoreError.invalid("'\(name)' is not the name of a document in \(database.description).")
      }
      if let violation = PathLimits.violations(of: path).first {
        throw FirestoreError.invalid(violation.message)
      }
      if seen.insert(path).inserted { paths.append(path) }
    }
    let renderer = try DocumentRenderer(database, mask: request.mask, runner: runner)
    try read(database, request.consistency) { context in
      var stream = try JSONArrayStream(out, context)
      for path in paths {
        let key = NameKey.key(path.string)
        context.recordRead(StoreSnapshot.Scope(), KeyRange(only: key))
        let document = try context.snapshot.document(key)
        try stream.element { bytes in
          if let document {
            bytes.append(contentsOf: "{\"found\":".utf8)
            try renderer.append(document, to: &bytes)
          } else {
            bytes.append(contentsOf: "{\"missing\":".utf8)
            renderer.appendName(path.string, to: &bytes)
          }
          bytes.append(UInt8(ascii: ","))
          bytes.appendReadTime(context.snapshot.readTime)
          bytes.append(UInt8(ascii: "}"))
        }
      }
      try stream.end()
    }
  }

  // MARK: create, patch, delete

  func create(_ database: DatabaseName, _ parent: String, _ collection: String) throws {
    let parameters = try parameters(["documentId", "mask.fieldPaths"])
    let body = try decoder.document(request.body)
    let id = parameters.text("documentId").flatMap { $0.isEmpty ? nil : $0 } ?? Self.automaticID()
    if let violation = PathLimits.violation(ofID: id, isDocument: true) {
      throw FirestoreError.invalid(violation.message)
    }
    let path = DocumentPath(CollectionPath(DocumentPath(parent), collection), id)
    let write = Write(
      path: path,
      operation: .update(fields: body.fields, mask: nil),
      precondition: .exists(false)
    )
    try apply(write, in: database, mask: try parameters.mask("mask.fieldPaths"))
  }

  func patch(_ database: DatabaseName, _ path: DocumentPath) throws {
    let parameters = try parameters([
      "updateMask.fieldPaths", "mask.fieldPaths", "currentDocument.exists", "currentDocument.updateTime",
    ])
    let body = try decoder.document(request.body)
    if !body.name.isEmpty, database.path(ofName: body.name) != path {
      throw FirestoreError.invalid("The document's name is not the one in the URL.")
    }
    let write = Write(
      path: path,
      operation: .update(fields: body.fields, mask: try parameters.mask("updateMask.fieldPaths")),
      precondition: try parameters.precondition()
    )
    try apply(write, in: database, mask: try parameters.mask("mask.fieldPaths"))
  }

  func delete(_ database: DatabaseName, _ path: DocumentPath) throws {
    let parameters = try parameters(["currentDocument.exists", "currentDocument.updateTime"])
    let write = Write(path: path, operation: .delete, precondition: try parameters.precondition())
    try apply(write, in: database, mask: nil)
  }

  private func apply(_ write: Write, in database: DatabaseName, mask: [FieldPath]?) throws {
    try WriteValidation.check(write)
    let renderer = try DocumentRenderer(database, mask: mask, runner: runner)
    let result = try store.write(database) { transaction, _ in
      try WriteApplier(database, runner).apply(write, to: &transaction)
    }
    guard let document = result.document else {
      out.bytes.append(contentsOf: "{}".utf8)
      return
    }
    try renderer.append(document, to: &out.bytes)
  }

  /// A random ID of 20 letters and digits, like the service's.
  static func automaticID() -> String {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)
    return String(decoding: (0..<20).map { _ in alphabet[Int.random(in: 0..<alphabet.count)] }, as: UTF8.self)
  }

  // MARK: Databases

  /// Deletes all documents of a database, like the emulator's endpoint of this name.
  func flush(_ database: DatabaseName) throws {
    try store.write(database) { transaction, _ in try transaction.deleteAll() }
    out.bytes.append(contentsOf: "{}".utf8)
  }

  func getDatabase(_ database: DatabaseName) throws {
    _ = try parameters()
    let createTime = try store.createTime(of: database)
    respond { write(database, createTime: createTime, to: &$0) }
  }

  func listDatabases(_ project: String) throws {
    _ = try parameters(["showDeleted"])
    let databases = try store.databases(of: project)
    respond {
      $0.object {
        $0.member("databases", databases) { write($0.name, createTime: $0.createTime, to: &$1) }
      }
    }
  }

  private func write(_ database: DatabaseName, createTime: Int64, to json: inout JSONWriter) {
    let earliest = max(createTime, store.clock.now() - DocumentStore.retention)
    json.object {
      $0.member("name", database.description)
      $0.member("createTime", Timestamp(microseconds: createTime))
      $0.member("updateTime", Timestamp(microseconds: createTime))
      $0.member("locationId", "local")
      $0.member("type", "FIRESTORE_NATIVE")
      $0.member("concurrencyMode", "OPTIMISTIC")
      $0.member("versionRetentionPeriod", "3600s")
      $0.member("earliestVersionTime", Timestamp(microseconds: earliest))
      $0.member("pointInTimeRecoveryEnablement", "POINT_IN_TIME_RECOVERY_DISABLED")
      $0.member("deleteProtectionState", "DELETE_PROTECTION_DISABLED")
      $0.member("databaseEdition", "STANDARD")
    }
  }
}

/// A streamed response: a JSON array sent as it grows.
struct JSONArrayStream {
  private let out: any BodyWriter
  private var isEmpty = true

  /// Begins with the transaction that the read began, if any.
  init(_ out: any BodyWriter, _ context: ServiceCall.ReadContext) throws {
    self.out = out
    if let id = context.newTransaction {
      try element { $0.append(contentsOf: "{\"transaction\":\"\(id.base64)\"}".utf8) }
    }
  }

  mutating func element(_ write: (inout [UInt8]) throws -> Void) throws {
    out.bytes.append(contentsOf: (isEmpty ? "[" : ",\n").utf8)
    isEmpty = false
    try write(&out.bytes)
    try out.flushIfLong()
  }

  mutating func end() throws {
    out.bytes.append(contentsOf: (isEmpty ? "[]" : "]").utf8)
  }
}
