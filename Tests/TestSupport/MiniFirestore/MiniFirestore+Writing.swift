import Synchronization

extension MiniFirestore {
  // MARK: Commits

  func commit(_ call: MiniCall) throws -> JSON {
    let writes = try writes(call, allowed: ["writes", "transaction"])
    let transaction = try MiniDecoder.text(
      call.body(["writes", "transaction"])["transaction"],
      "transaction"
    )
    let (results, time) = try apply(writes, in: transaction)
    var encoder = encoder()
    var members = [JSON.Member("commitTime", encoder.time(time))]
    if !results.isEmpty {
      members.append(JSON.Member("writeResults", .array(results.map { result($0, &encoder) })))
    }
    return encoder.object(members)
  }

  func batchWrite(_ call: MiniCall) throws -> JSON {
    let writes = try writes(call, allowed: ["writes", "labels"])
    guard Set(writes.map(\.path)).count == writes.count else {
      throw ServiceError.invalidArgument(
        "the same document cannot be written more than once in a single request"
      )
    }
    var encoder = encoder()
    var results: [JSON] = []
    var status: [JSON] = []
    for write in writes {
      do {
        let (outcomes, _) = try apply([write])
        results += outcomes.map { result($0, &encoder) }
        status.append(.object([]))
      } catch let error as ServiceError {
        results.append(.object([]))
        status.append(
          encoder.object([
            JSON.Member("code", .integer(error.code)), JSON.Member("message", .text(error.message)),
          ])
        )
      }
    }
    guard !writes.isEmpty else { return .object([]) }
    return encoder.object([
      JSON.Member("writeResults", .array(results)), JSON.Member("status", .array(status)),
    ])
  }

  private func writes(_ call: MiniCall, allowed: Set<ByteString>) throws -> [MiniWrite] {
    let (hook, number) = state.withLock { state in
      state.commits += 1
      return (state.beforeCommit, state.commits - 1)
    }
    // Outside of the lock: the hook exists to write.
    hook?(number, call.request)
    try call.checkParameters([])
    let body = try call.body(allowed)
    let writes = try MiniDecoder.list(body["writes"], "writes")
    guard writes.count <= options.largestCommit else {
      throw ServiceError.invalidArgument("maximum \(options.largestCommit) writes allowed per request")
    }
    return try writes.map { try MiniWrite($0, in: self) }
  }

  /// Applies all the writes or none.
  private func apply(
    _ writes: [MiniWrite],
    in transaction: ByteString? = nil
  ) throws -> (outcomes: [MiniWrite.Outcome], time: MiniTime) {
    try state.withLock { state in
      if let transaction { try Self.end(transaction, &state) }
      let time = tick(&state)
      var changed: [MiniPath: MiniStored?] = [:]
      var outcomes: [MiniWrite.Outcome] = []
      var changes: [ByteString] = []
      for write in writes {
        let current = changed[write.path] ?? state.store.document(write.path)
        let outcome = try write.apply(
          to: current,
          at: time,
          missingBaseIsNotFound: options.missingBaseIsNotFound
        )
        changed.updateValue(outcome.document, forKey: write.path)
        outcomes.append(outcome)
        if current?.updateTime != outcome.document?.updateTime { changes.append(write.path.name) }
      }
      for name in changes { state.changes[name, default: 0] += 1 }
      for (path, document) in changed { state.store.write(path, document, at: time) }
      for write in writes { state.writes[write.path.name, default: 0] += 1 }
      return (outcomes, time)
    }
  }

  private func result(_ outcome: MiniWrite.Outcome, _ encoder: inout MiniEncoder) -> JSON {
    var members: [JSON.Member] = []
    if let document = outcome.document {
      members.append(JSON.Member("updateTime", encoder.time(document.updateTime)))
    }
    if !outcome.transformResults.isEmpty {
      let values = outcome.transformResults.map { encoder.value($0) }
      members.append(JSON.Member("transformResults", .array(values)))
    }
    return encoder.object(members)
  }

  // MARK: One document

  func create(_ call: MiniCall) throws -> JSON {
    try call.checkParameters(["documentId", "mask.fieldPaths"])
    let fields = try document(call)
    let given = try call.parameter("documentId").flatMap { $0.isEmpty ? nil : ByteString($0) }
    let id = given ?? automaticID()
    let path = MiniPath(call.path.segments + [id])
    try path.check()
    let write = MiniWrite(path: path, fields: fields, mask: nil, precondition: .exists(false))
    return try answer(call, write)
  }

  func patch(_ call: MiniCall) throws -> JSON {
    try call.checkParameters([
      "updateMask.fieldPaths", "mask.fieldPaths", "currentDocument.exists", "currentDocument.updateTime",
    ])
    let paths = call.parameters("updateMask.fieldPaths")
    let write = MiniWrite(
      path: call.path,
      fields: try document(call),
      mask: paths.isEmpty ? nil : try paths.map { try MiniFieldPath(ByteString($0)) },
      precondition: try precondition(call)
    )
    return try answer(call, write)
  }

  func delete(_ call: MiniCall) throws -> JSON {
    try call.checkParameters(["currentDocument.exists", "currentDocument.updateTime"])
    let write = MiniWrite(path: call.path, fields: nil, mask: nil, precondition: try precondition(call))
    _ = try apply([write])
    return .object([])
  }

  private func document(_ call: MiniCall) throws -> MiniFields {
    let body = try call.body(["name", "fields", "createTime", "updateTime"])
    return try MiniDecoder.fields(body["fields"])
  }

  private func answer(_ call: MiniCall, _ write: MiniWrite) throws -> JSON {
    let mask = try call.mask("mask.fieldPaths")
    let (outcomes, _) = try apply([write])
    var encoder = encoder()
    guard let document = outcomes.first?.document else { return .object([]) }
    return encoder.document(write.path, document, mask: mask)
  }

  private func precondition(_ call: MiniCall) throws -> MiniWrite.Precondition {
    let exists = try call.parameter("currentDocument.exists")
    let time = try call.parameter("currentDocument.updateTime")
    switch (exists, time) {
    case (nil, nil): return .none
    case ("true", nil): return .exists(true)
    case ("false", nil): return .exists(false)
    case (nil, let time?): return .updateTime(try MiniWrite.time(ByteString(time)))
    default: throw ServiceError.invalidArgument("currentDocument")
    }
  }

  private func automaticID() -> ByteString {
    let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)
    return ByteString(bytes: (0..<20).map { _ in letters[Int.random(in: letters.indices)] })
  }
}
