import Synchronization

/// A request taken apart: where it goes, and with what.
struct MiniCall {
  var request: TestRequest
  var kind: RequestKind
  /// The path below `documents/`; empty for the root.
  var path: MiniPath
  var query: [HTTPField]

  /// The values of a query parameter.
  func parameters(_ name: String) -> [String] {
    query.filter { $0.name == name }.map(\.value)
  }

  /// The only value of a query parameter.
  func parameter(_ name: String) throws -> String? {
    let values = parameters(name)
    guard values.count < 2 else { throw ServiceError.invalidArgument("\(name) given twice") }
    return values.first
  }

  /// Refuses parameters that the method does not have.
  func checkParameters(_ allowed: Set<String>) throws {
    for field in query where !allowed.contains(field.name) && !Self.common.contains(field.name) {
      throw ServiceError.invalidArgument(
        "Invalid JSON payload received. Unknown name \"\(field.name)\": Cannot bind query parameter."
      )
    }
  }

  /// The body as an object whose members are all known.
  func body(_ allowed: Set<ByteString>) throws -> [ByteString: JSON] {
    let type = request.header("Content-Type")?.lowercased() ?? ""
    guard type.hasPrefix("application/json") || type.hasPrefix("text/plain") else {
      throw ServiceError.invalidArgument("Content-Type \"\(type)\" is not JSON")
    }
    guard let json = try? JSONReader.read(request.body) else {
      throw ServiceError.invalidArgument("Invalid JSON payload received.")
    }
    return try MiniDecoder.members(json, "request", allowed: allowed)
  }

  func mask(_ name: String) throws -> MiniMask {
    let paths = parameters(name)
    return MiniMask(
      paths: paths.isEmpty
        ? nil : try paths.map { try MiniFieldPath(ByteString($0), allowsReserved: $0 == "__name__") }
    )
  }

  /// System parameters, which every method has.
  static let common: Set<String> = ["prettyPrint", "alt", "key", "quotaUser", "$alt", "$prettyPrint"]
}

extension MiniFirestore {
  func answer(_ request: TestRequest) -> TestResponse {
    let kind = request.kind
    state.withLock { $0.requests[kind, default: 0] += 1 }
    do {
      if kind == .token { return try token(request) }
      try authorize(request)
      guard request.body.count <= options.largestBody else {
        throw ServiceError.invalidArgument(
          "Request payload size exceeds the limit: \(options.largestBody) bytes."
        )
      }
      let call = try route(request, kind)
      return render(try dispatch(call), call)
    } catch let error as ServiceError {
      return error.response(for: kind)
    } catch {
      return ServiceError.internalError.response(for: kind)
    }
  }

  private func render(_ json: JSON, _ call: MiniCall) -> TestResponse {
    let isPretty = call.query.last { $0.name == "prettyPrint" }?.value != "false"
    var encoder = encoder()
    var writer = JSONWriter(isPretty: isPretty, escapesMore: encoder.chance(percent: 50))
    writer.write(json)
    return TestResponse(200, body: writer.bytes + [0x0A])
  }

  private func dispatch(_ call: MiniCall) throws -> JSON {
    switch call.kind {
    case .get: return try get(call)
    case .list: return try list(call)
    case .create: return try create(call)
    case .patch: return try patch(call)
    case .delete: return try delete(call)
    case .batchGet: return try batchGet(call)
    case .runQuery: return try runQuery(call)
    case .aggregation: return try runAggregationQuery(call)
    case .listCollectionIds: return try listCollectionIds(call)
    case .commit: return try commit(call)
    case .batchWrite: return try batchWrite(call)
    case .beginTransaction: return try beginTransaction(call)
    case .rollback: return try rollback(call)
    case .partitionQuery:
      throw ServiceError.unimplemented("\(call.kind.rawValue) is not part of MiniFirestore")
    case .token, .other: return try database(call)
    }
  }

  /// What is told about the database itself.
  private func database(_ call: MiniCall) throws -> JSON {
    var encoder = encoder()
    return encoder.object([
      JSON.Member("name", .text("projects/\(options.project)/databases/\(options.database)")),
      JSON.Member("type", .text("FIRESTORE_NATIVE")),
      JSON.Member("databaseEdition", .text(options.edition)),
      JSON.Member("locationId", .text("nam5")),
    ])
  }

  /// Takes the target apart: every segment is decoded once, and a slash that was encoded stays in its segment.
  private func route(_ request: TestRequest, _ kind: RequestKind) throws -> MiniCall {
    let unknown = ServiceError.notFound("no method at \(request.method) \(request.target)")
    var parts = request.rawPath.utf8.dropFirst()
      .split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map { Array($0) }
    // The last bare colon begins a verb; the colons of ids must be encoded.
    if let last = parts.last, let colon = last.lastIndex(of: UInt8(ascii: ":")) {
      guard request.method == "POST", kind != .other, kind != .create else { throw unknown }
      parts[parts.count - 1] = Array(last[..<colon])
    }
    let segments = try parts.map { part in
      guard let decoded = percentDecoded(part, plusIsSpace: false),
        String(validating: decoded, as: UTF8.self) != nil
      else { throw ServiceError.invalidArgument("the path is not well encoded") }
      return ByteString(bytes: decoded)
    }
    guard segments.count >= 5, segments[0] == "v1", segments[1] == "projects", segments[3] == "databases"
    else {
      throw unknown
    }
    guard segments[2] == ByteString(options.project), segments[4] == ByteString(options.database) else {
      throw ServiceError.notFound("The database \(segments[4]) does not exist for project \(segments[2]).")
    }
    let path = MiniPath(segments.dropFirst(6))
    let call = MiniCall(request: request, kind: kind, path: path, query: request.query)
    if kind == .other {
      guard segments.count == 5, request.method == "GET" else { throw unknown }
      return call
    }
    guard segments.count >= 6, segments[5] == "documents" else { throw unknown }
    let needsRoot: Set<RequestKind> = [.batchGet, .commit, .batchWrite]
    guard !needsRoot.contains(kind) || path.segments.isEmpty else { throw unknown }
    try path.check()
    return call
  }

  /// The path of a full name within this database.
  func path(_ name: ByteString?, _ what: String) throws -> MiniPath {
    let prefix = ByteString(root + "/")
    guard let name, name.hasPrefix(prefix) else {
      throw ServiceError.invalidArgument("\(what) \"\(name?.string ?? "")\" is not in \(root)")
    }
    let path = MiniPath(relative: ByteString(bytes: name.bytes.dropFirst(prefix.bytes.count)))
    try path.check()
    guard path.isDocument else { throw ServiceError.invalidArgument("\(what) \"\(name)\" is no document's") }
    return path
  }

  /// The moment to read at: checked for its form, not in the future, not older than an hour.
  func readTime(_ text: ByteString?) throws -> MiniTime? {
    guard let text else { return nil }
    guard let time = MiniTime(text) else { throw ServiceError.invalidArgument("readTime \"\(text)\"") }
    let now = max(options.clock(), state.withLock { $0.lastTime })
    guard time.microseconds <= now else {
      throw ServiceError.invalidArgument("readTime \(text) is in the future")
    }
    guard time.microseconds >= now - 3_600_000_000 else {
      throw ServiceError.failedPrecondition("readTime \(text) is too old")
    }
    return time
  }

  /// Reads at a moment, by default now.
  ///
  /// What is read and the moment belong together: nothing is committed at or before that moment afterwards.
  func read<R>(at asked: MiniTime?, _ body: (MiniStore, MiniTime) -> R) -> (result: R, time: MiniTime) {
    state.withLock { state in
      let time = asked ?? tick(&state)
      return (body(state.store, time), time)
    }
  }
}
