/// A long-running operation of Firestore's own service, as the service describes it.
///
/// Field names and states are those of `google/firestore/admin/v1/operation.proto`. Anything that a newer service adds is
/// kept as text.
package struct ManagedOperation: Sendable, Equatable {
  package enum Kind: Sendable, Equatable {
    case exportDocuments
    case importDocuments
    /// Any other kind, by the type of its metadata, such as `Index` for an index that is being built.
    case other(String)

    /// One word: `export`, `import`, or the type.
    package var name: String {
      switch self {
      case .exportDocuments: "export"
      case .importDocuments: "import"
      case .other(let type): type
      }
    }
  }

  /// The state, as named by the service: `PROCESSING`, for example; empty for none.
  package struct State: Sendable, Equatable {
    package let name: String

    static let failed = State(name: "FAILED")
    static let cancelled = State(name: "CANCELLED")
  }

  /// An amount of work, in documents or bytes.
  package struct Amount: Encodable, Sendable, Equatable {
    /// The service's estimate of the total, which may be missing, or be changed or exceeded.
    package var estimated: Int?
    package var completed: Int

    private enum CodingKeys: String, CodingKey { case completed, estimated }

    package init(estimated: Int? = nil, completed: Int) {
      (self.estimated, self.completed) = (estimated, completed)
    }
  }

  /// How an operation ended.
  package enum Ending: Sendable, Equatable {
    case successful
    case cancelled
    case failed(FirestoreError)
  }

  package var name: OperationName
  package var kind: Kind
  package var state = State(name: "")
  /// Whether it has ended, whatever the result.
  package var isDone = false
  package var startTime: Timestamp?
  package var endTime: Timestamp?
  /// The moment as of which an export reads; nil if none in particular.
  package var snapshotTime: Timestamp?
  /// The collection IDs; empty for all.
  package var collections: [String] = []
  /// The destination of an export, or the source of an import.
  package var prefix: String?
  package var documents: Amount?
  package var bytes: Amount?
  /// The location of a completed export.
  package var output: String?
  /// Why it failed.
  package var error: FirestoreError?

  package init(name: OperationName, kind: Kind) { (self.name, self.kind) = (name, kind) }

  /// How it ended; nil while it is running.
  package var ending: Ending? {
    guard isDone else { return nil }
    if let error { return error.status == .cancelled || state == .cancelled ? .cancelled : .failed(error) }
    return switch state {
    case .cancelled: .cancelled
    case .failed: .failed(FirestoreError(.unknown, "the service does not say why"))
    default: .successful
    }
  }
}

// MARK: - JSON

extension ManagedOperation {
  /// Decodes an operation.
  ///
  /// - Parameter database: The database that it has to belong to.
  /// - Throws: `.foreign` for an operation of another database, `.malformed` if it is not an operation.
  init(_ json: JSONCursor, of database: DatabaseName) throws(CallFailure) {
    guard json.kind == .object, let text = json["name"]?.string else {
      throw .malformed("the operation has no name")
    }
    guard text.utf8.contains(UInt8(ascii: "/")), let parsed = OperationName(parsing: text, in: database),
      parsed.isOf(database), let name = OperationName(parsing: parsed.id, in: database)
    else {
      throw .foreign("'\(PathLimits.shortened(text))' is not an operation of \(database)")
    }
    let metadata = json["metadata"]
    self.init(name: name, kind: Kind(type: metadata?["@type"]?.string))
    if let done = json["done"] {
      guard let isDone = done.boolean else {
        throw .malformed("'done' of the operation is not true or false")
      }
      self.isDone = isDone
    }
    if let error = json["error"] { self.error = try Self.status(error) }
    if let metadata { try read(metadata) }
    if let response = json["response"] { output = try Self.text(response, "outputUriPrefix") }
  }

  private mutating func read(_ metadata: JSONCursor) throws(CallFailure) {
    guard metadata.kind == .object else { throw .malformed("the metadata of the operation is not an object") }
    // Exports and imports have `operationState`, indexes `state`.
    state = State(name: try Self.text(metadata, "operationState", or: "state") ?? "")
    startTime = try Self.time(metadata, "startTime")
    endTime = try Self.time(metadata, "endTime")
    snapshotTime = try Self.time(metadata, "snapshotTime")
    prefix = try Self.text(metadata, "outputUriPrefix", or: "inputUriPrefix")
    documents = try Self.amount(metadata, "progressDocuments")
    bytes = try Self.amount(metadata, "progressBytes")
    guard let ids = metadata["collectionIds"] else { return }
    guard ids.kind == .array else { throw .malformed("the collection IDs of the operation are not a list") }
    collections = try ids.elements.map { id throws(CallFailure) in
      guard let id = id.string else { throw .malformed("a collection ID of the operation is not a string") }
      return id
    }
  }

  private static func text(_ json: JSONCursor, _ name: StaticString) throws(CallFailure) -> String? {
    guard let value = json[name], !value.isNull else { return nil }
    guard let text = value.string else { throw .malformed("'\(name)' of the operation is not a string") }
    return text
  }

  private static func text(
    _ json: JSONCursor,
    _ name: StaticString,
    or other: StaticString
  ) throws(CallFailure) -> String? {
    if let text = try text(json, name) { return text }
    return try text(json, other)
  }

  private static func time(_ json: JSONCursor, _ name: StaticString) throws(CallFailure) -> Timestamp? {
    guard let text = try text(json, name) else { return nil }
    guard let time = Timestamp(text) else { throw .malformed("'\(name)' of the operation is not a time") }
    return time
  }

  private static func amount(_ json: JSONCursor, _ name: StaticString) throws(CallFailure) -> Amount? {
    guard let progress = json[name], !progress.isNull else { return nil }
    guard progress.kind == .object else { throw .malformed("'\(name)' of the operation is not an object") }
    // JSON leaves out a number that is 0, which means that nothing is done yet, or that there is no estimate.
    return Amount(
      estimated: try count(progress, "estimatedWork", of: name),
      completed: try count(progress, "completedWork", of: name) ?? 0
    )
  }

  private static func count(
    _ progress: JSONCursor,
    _ member: StaticString,
    of name: StaticString
  ) throws(CallFailure) -> Int? {
    guard let value = progress[member] else { return nil }
    guard let count = WireDecoder.count(value) else {
      throw .malformed("'\(name)' of the operation is not a count")
    }
    return count
  }

  /// Decodes a `google.rpc.Status`, whose code is a number of `google.rpc.Code`.
  private static func status(_ json: JSONCursor) throws(CallFailure) -> FirestoreError {
    guard json.kind == .object else { throw .malformed("the error of the operation is not an object") }
    let number = json["code"].flatMap { WireDecoder.integer($0) }.flatMap { Int(exactly: $0) }
    let status = number.flatMap { FirestoreError.Status(rawValue: $0) } ?? .unknown
    let message = json["message"]?.string.map(ForeignText.cleaned) ?? ""
    return FirestoreError(
      status == .ok ? .unknown : status,
      message.isEmpty ? "the service does not say why" : message
    )
  }
}

extension ManagedOperation.Kind {
  /// Parses the type of an operation's metadata: `type.googleapis.com/google.firestore.admin.v1.ExportDocumentsMetadata`.
  fileprivate init(type: String?) {
    let name = type?.utf8.split(separator: UInt8(ascii: ".")).last.map { String(Substring($0)) } ?? ""
    switch name {
    case "ExportDocumentsMetadata": self = .exportDocuments
    case "ImportDocumentsMetadata": self = .importDocuments
    case "": self = .other("operation")
    default: self = .other(name.hasSuffix("Metadata") ? String(name.dropLast("Metadata".count)) : name)
    }
  }
}
