/// A document that was found, or the mere name of one that is missing.
private struct MiniEntry {
  var path: MiniPath
  var document: MiniStored?
}

extension MiniFirestore {
  func get(_ call: MiniCall) throws -> JSON {
    try call.checkParameters(["mask.fieldPaths", "readTime"])
    let mask = try call.mask("mask.fieldPaths")
    let asked = try readTime(call.parameter("readTime").map { ByteString($0) })
    guard let document = read(at: asked, { $0.document(call.path, at: $1) }).result else {
      throw ServiceError.notFound("Document \"\(root)/\(call.path.name)\" not found.")
    }
    var encoder = encoder()
    return encoder.document(call.path, document, mask: mask)
  }

  // MARK: Lists

  func list(_ call: MiniCall) throws -> JSON {
    try call.checkParameters([
      "pageSize", "pageToken", "orderBy", "mask.fieldPaths", "showMissing", "readTime",
    ])
    let mask = try call.mask("mask.fieldPaths")
    let asked = try readTime(call.parameter("readTime").map { ByteString($0) })
    let showsMissing = try flag(call, "showMissing")
    let isDescending = try descending(call.parameter("orderBy"))
    guard !showsMissing || isDescending == nil else {
      throw ServiceError.invalidArgument("showMissing does not go with orderBy")
    }
    let (entries, _) = read(at: asked) { store, time in
      var entries = store.documents(
        below: call.path.parent,
        collection: call.path.last,
        allDescendants: false,
        at: time
      ).map { MiniEntry(path: $0.path, document: $0.document) }
      if showsMissing {
        entries += store.missing(in: call.path, at: time).map { MiniEntry(path: $0) }
        entries.sort { $0.path < $1.path }
      }
      return isDescending == true ? entries.reversed() : entries
    }
    let page = try page(
      token: try call.parameter("pageToken").map { ByteString($0) },
      size: try number(call, "pageSize"),
      fingerprint: fingerprint(call),
      of: entries,
      key: \.path.name
    ) { entry, name in
      let order = entry.path.compare(MiniPath(relative: name))
      return isDescending == true ? order < 0 : order > 0
    }
    var encoder = encoder()
    var members: [JSON.Member] = []
    if !page.entries.isEmpty {
      let documents = page.entries.map { entry in
        entry.document.map { encoder.document(entry.path, $0, mask: mask) }
          ?? encoder.object([JSON.Member("name", encoder.name(entry.path))])
      }
      members.append(JSON.Member("documents", .array(documents)))
    }
    if let token = page.nextToken { members.append(JSON.Member("nextPageToken", .string(token))) }
    return members.isEmpty ? .object([]) : encoder.object(members)
  }

  /// Everything of a list request that must stay as it was from page to page.
  private func fingerprint(_ call: MiniCall) -> String {
    let parameters = call.query
      .filter { !["pageSize", "pageToken"].contains($0.name) && !MiniCall.common.contains($0.name) }
      .map { "\($0.name)=\($0.value)" }.sorted()
    return (["list", call.path.name.string] + parameters).joined(separator: "\n")
  }

  private func descending(_ text: String?) throws -> Bool? {
    switch text?.split(separator: " ").map({ $0.lowercased() }) {
    case nil, []: return nil
    case ["__name__"], ["__name__", "asc"]: return false
    case ["__name__", "desc"]: return true
    default: throw ServiceError.unimplemented("MiniFirestore lists by __name__ only")
    }
  }

  private func flag(_ call: MiniCall, _ name: String) throws -> Bool {
    switch try call.parameter(name) {
    case nil, "false": return false
    case "true": return true
    default: throw ServiceError.invalidArgument("\(name) must be true or false")
    }
  }

  private func number(_ call: MiniCall, _ name: String) throws -> Int? {
    try call.parameter(name).map { text in
      guard let number = Int32(text), number >= 0 else {
        throw ServiceError.invalidArgument("\(name) \(text)")
      }
      return Int(number)
    }
  }

  func listCollectionIds(_ call: MiniCall) throws -> JSON {
    guard call.path.segments.isEmpty || call.path.isDocument else {
      throw ServiceError.invalidArgument("the parent is a collection")
    }
    try call.checkParameters([])
    let body = try call.body(["pageSize", "pageToken", "readTime"])
    let asked = try MiniDecoder.text(body["readTime"], "readTime")
    let time = try readTime(asked)
    let all = read(at: time) { $0.collections(below: call.path, at: $1) }.result
    let page = try page(
      token: try MiniDecoder.text(body["pageToken"], "pageToken"),
      size: try MiniDecoder.int32(body["pageSize"], "pageSize"),
      fingerprint: "collections\n\(call.path.name)\n\(asked?.string ?? "")",
      of: all,
      key: { $0 },
      isAfter: { $0 > $1 }
    )
    var encoder = encoder()
    var members: [JSON.Member] = []
    if !page.entries.isEmpty {
      members.append(JSON.Member("collectionIds", .array(page.entries.map { .string($0) })))
    }
    if let token = page.nextToken { members.append(JSON.Member("nextPageToken", .string(token))) }
    return members.isEmpty ? .object([]) : encoder.object(members)
  }

  // MARK: batchGet

  func batchGet(_ call: MiniCall) throws -> JSON {
    try call.checkParameters([])
    let body = try call.body(["documents", "mask", "readTime", "transaction", "newTransaction"])
    let mask = try Self.mask(body["mask"])
    let new =
      try MiniDecoder.isTransaction(body["newTransaction"], "newTransaction") ? beginTransaction() : nil
    let transaction = try new ?? MiniDecoder.text(body["transaction"], "transaction")
    let asked = try readTime(MiniDecoder.text(body["readTime"], "readTime"))
    var seen: Set<ByteString> = []
    let paths = try MiniDecoder.list(body["documents"], "documents")
      .map { try path(MiniDecoder.text($0, "documents"), "documents") }
      .filter { seen.insert($0.name).inserted }
    let (found, time) = read(at: asked) { store, time in
      paths.map { MiniEntry(path: $0, document: store.document($0, at: time)) }
    }
    if let transaction {
      try record(found.map { ($0.path, $0.document?.updateTime) }, in: transaction)
    }
    var encoder = encoder()
    let elements = encoder.shuffled(found).map { entry in
      let member =
        entry.document.map { JSON.Member("found", encoder.document(entry.path, $0, mask: mask)) }
        ?? JSON.Member("missing", encoder.name(entry.path))
      return encoder.object([member, JSON.Member("readTime", encoder.time(time))])
    }
    guard let new else { return .array(elements) }
    return .array([encoder.object([JSON.Member("transaction", .string(new))])] + elements)
  }

  /// The mask of a request's body.
  static func mask(_ json: JSON?) throws -> MiniMask {
    guard let json, json != .null else { return MiniMask() }
    let paths = try MiniDecoder.list(
      MiniDecoder.members(json, "mask", allowed: ["fieldPaths"])["fieldPaths"],
      "fieldPaths"
    )
    return MiniMask(
      paths: try paths.map { path in
        guard case .string(let text) = path else { throw ServiceError.invalidArgument("fieldPaths") }
        return try MiniFieldPath(text, allowsReserved: text == "__name__")
      }
    )
  }
}
