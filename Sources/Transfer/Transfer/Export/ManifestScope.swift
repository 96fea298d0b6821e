extension Manifest {
  /// The names of the files that the folder of the export has.
  var knownFiles: Set<UTF8Key> { Set((files.map(\.file) + [Self.fileName]).map { UTF8Key($0) }) }

  /// Returns whether two full exports have the same scope, so that one replaces the other.
  func isOfSameSeries(as other: Manifest) -> Bool {
    guard let scope, let others = other.scope else { return false }
    return scope == others
  }

  /// Returns whether this full export can be the base of an increment: it has the same scope, with or without subcollections,
  /// which no increment has.
  func isBase(of increment: Manifest) -> Bool {
    guard !isIncrement, var scope, var others = increment.scope else { return false }
    scope.subcollections = false
    others.subcollections = false
    return scope == others
  }
}

extension Manifest.Scope {
  private enum CodingKeys: String, CodingKey {
    case collections, subcollections
    case filters = "where"
    case limit, orderBy, fields
    case isGroup = "group"
  }

  /// Reads a scope; a missing member has its default.
  package init(from decoder: any Decoder) throws {
    let json = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      collections: try json.decodeIfPresent([String].self, forKey: .collections),
      subcollections: try json.decodeIfPresent(Bool.self, forKey: .subcollections) ?? false,
      filters: try json.decodeIfPresent([String].self, forKey: .filters) ?? [],
      limit: try json.decodeIfPresent(Int.self, forKey: .limit),
      orderBy: try json.decodeIfPresent(String.self, forKey: .orderBy),
      fields: try json.decodeIfPresent([String].self, forKey: .fields),
      isGroup: try json.decodeIfPresent(Bool.self, forKey: .isGroup) ?? false
    )
  }

  package func encode(to encoder: any Encoder) throws {
    var json = encoder.container(keyedBy: CodingKeys.self)
    try json.encode(collections, forKey: .collections)
    try json.encode(subcollections, forKey: .subcollections)
    try json.encode(filters, forKey: .filters)
    try json.encode(limit, forKey: .limit)
    try json.encodeIfPresent(orderBy, forKey: .orderBy)
    try json.encodeIfPresent(fields, forKey: .fields)
    if isGroup { try json.encode(true, forKey: .isGroup) }
  }
}
