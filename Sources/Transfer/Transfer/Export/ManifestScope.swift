import Files
package import FirestoreREST

extension Manifest {
  /// The names of all files of the export, including the manifest.
  var knownFiles: Set<UTF8Key> { Set((allFiles.map(\.file) + [Self.fileName]).map { UTF8Key($0) }) }

  /// Whether two exports were requested in the same way, so that one replaces or adds to the other.
  func isOfSameSeries(as other: Manifest) -> Bool {
    other.scope.map { isOfSeries($0, other.knownKind) } ?? false
  }

  /// Whether it has the given scope, and files of the given kind; an unknown kind matches any, because whatever adds to an
  /// empty export is complete.
  func isOfSeries(_ scope: Scope, _ kind: FileName.Kind?) -> Bool {
    guard scope == self.scope, let kind, let own = knownKind else { return scope == self.scope }
    return kind == own
  }

  /// The kind of the files; nil for an empty export by a version that did not record it.
  var knownKind: FileName.Kind? { kind ?? allFiles.first.flatMap { FileName($0.file).kind } }

  /// Whether it records all that determines its series, so that an export that replaces it can be distinguished from others.
  var isOfKnownSeries: Bool {
    guard let scope, knownKind != nil else { return false }
    return scope.timeZone != nil || !scope.dependsOnZone
  }

  /// Checks that a new export into this one's folder replaces all its files, because the new manifest would not list the
  /// others.
  ///
  /// - Parameters:
  ///   - scope: The scope of the new export.
  ///   - selection: The collections of the new export.
  /// - Throws: `.cannotWrite`.
  package func assertReplaced(
    by scope: Scope,
    _ selection: CollectionSelection,
    in folder: String
  ) throws(Failure) {
    var own = self.scope
    own?.timeZone = scope.timeZone
    if scope == own || selection.names.isEmpty && !scope.isGroup { return }
    let known = files.compactMap { CollectionPath($0.collection) }
    let roots = Set(known.map { CollectionPattern($0).root })
    let scopes = try? selection.namedScopes(roots: Array(roots))
    let left = known.filter { collection in
      scope.isGroup || !(scopes ?? []).contains { $0.contains(DocumentPath(collection, "any")) }
    }
    if left.isEmpty { return }
    throw .cannotWrite(
      folder,
      "it holds an export of other collections, too, which a new \(Self.fileName) would not name: \(FilePaths.list(left.map(\.string)))",
      remedy: "Name another folder, or move that export away."
    )
  }

  /// Whether this is a whole export that can be the base of an increment.
  func isBase(of increment: Manifest) -> Bool { !isIncrement && comprises(increment) }

  /// Whether it covers everything that an increment may change: it is of the same series, or includes subcollections as
  /// well, as the base of increments by earlier versions may.
  func comprises(_ increment: Manifest) -> Bool {
    guard var others = increment.scope else { return false }
    if scope?.subcollections ?? false { others.subcollections = true }
    return isOfSeries(others, increment.knownKind)
  }

  /// The index of the whole export that this increment adds to, among earlier exports, oldest first.
  func base(in earlier: [Manifest]) -> Int? {
    earlier.lastIndex { !$0.isIncrement && $0.isOfSameSeries(as: self) }
      ?? earlier.lastIndex { $0.isBase(of: self) }
  }

  /// Whether it can be applied on top of a whole export: as an increment of it, or as an export of whole collections.
  func adds(to base: Manifest) -> Bool {
    let isDeep = scope?.subcollections ?? true
    return (isIncrement || !isDeep) && database == base.database && base.isBase(of: self)
  }

  /// Whether it has all that its database had of a scope.
  fileprivate func holds(_ wanted: Scope) -> Bool {
    guard !isIncrement, let scope, !scope.isPartial, !scope.isView else { return false }
    let isWhole = (try? WantedKnowledge(scope))?.isWhole ?? false
    let isOfRoots = !wanted.isGroup && wanted.collections?.allSatisfy { !$0.contains("/") } ?? true
    return scope == wanted || isWhole && (scope.subcollections || isOfRoots && !wanted.subcollections)
  }

  /// Checks that the documents are those of the database.
  ///
  /// - Throws: `.notPermitted` if they are masked.
  func assertUnmasked(_ path: String) throws(Failure) {
    guard scope?.isMasked ?? false else { return }
    throw Failure(
      .notPermitted,
      "restore from",
      path: path,
      cause: "its documents are masked, and are none of \(database)",
      remedy: "Restore from an export without --mask."
    )
  }

  /// Checks that the documents are written as they are stored.
  ///
  /// - Throws: The failure of ``viewRefusal(_:)``.
  func assertStored(_ path: String) throws(Failure) {
    if scope?.isView ?? false { throw Self.viewRefusal(path) }
  }

  /// The refusal of an export whose documents are written other than they are stored.
  static func viewRefusal(_ path: String) -> Failure {
    .malformed(
      path,
      "it is an export for people, which shows documents otherwise than they are stored",
      remedy: "Export what is to be edited and imported as it is stored."
    )
  }

  /// Whether this increment begins after a moment, so that changes between them are missing.
  private func leavesGap(after moment: Timestamp) -> Bool {
    files.contains { $0.since.map { moment < $0 } ?? false }
  }

  /// Returns why an increment does not continue exports; nil if it does, and for a whole export.
  ///
  /// For manifests that do not record the export before them, only gaps of more than ten minutes are detected.
  ///
  /// - Parameter earlier: The exports before it of the same database, oldest first.
  func gap(behind earlier: [Manifest]) -> Gap? {
    guard isIncrement else { return nil }
    let series = earlier.filter { $0.isOfSameSeries(as: self) }
    let last = after ?? (series.isEmpty ? earlier : series).compactMap(\.readTime).max()
    if let last, let readTime, readTime <= last { return .early }
    guard let after else { return last.map(leavesGap) ?? false ? .missing : nil }
    guard earlier.contains(where: { $0.readTime == after }), !leavesGap(after: after) else { return .missing }
    return series.last.map { $0.readTime == after } ?? true ? nil : .branch
  }

  /// Why an increment does not continue the exports before it.
  enum Gap: String {
    case missing = "the increment before it is missing"
    case early = "it is of no later moment than the export that it adds to"
    case branch = "it does not continue the export before it, but an older one, as in a copy of the folder"

    /// What to do about it.
    fileprivate var remedy: String {
      switch self {
      case .missing:
        "Name that one, too. Where it is lost, import each of the others by itself: what changed meanwhile is missing then."
      case .early, .branch: "Leave it out; the other exports are one history without it."
      }
    }
  }

  /// Whether two exports may hold versions of the same documents.
  func overlaps(_ other: Manifest) -> Bool { database == other.database && hasCollections(of: other) }

  /// Whether two exports, perhaps of different databases, have some of the same collections.
  private func hasCollections(of other: Manifest) -> Bool {
    if scope != nil, scope == other.scope { return true }
    let own = Set(files.map { UTF8Key($0.collection) })
    return other.files.contains { own.contains(UTF8Key($0.collection)) }
  }

  /// Checks that, among exports that are imported together, increments follow what they add to, in order and without gaps.
  ///
  /// - Parameters:
  ///   - manifests: The manifests of the exports, in the order in which these were named.
  ///   - paths: The paths of the exports.
  /// - Throws: `.usage`.
  static func assertOrder(_ manifests: [Manifest], at paths: [String]) throws(Failure) {
    /// The latest read time of the earlier-named exports that overlap this one, where one of the two is an increment.
    func last(before index: Int) -> Timestamp? {
      manifests[..<index].filter { earlier in
        (earlier.isIncrement || manifests[index].isIncrement) && earlier.overlaps(manifests[index])
      }.compactMap(\.readTime).max()
    }
    for (index, manifest) in manifests.enumerated() {
      guard let last = last(before: index), let time = manifest.readTime, time < last else { continue }
      throw refusal("import", paths[index], "it is older than an export that is named before it")
    }
    for (index, manifest) in manifests.enumerated() where manifest.isIncrement {
      let others = manifests[..<index].filter(manifest.hasCollections)
      let earlier = others.filter(manifest.overlaps)
      if earlier.isEmpty, let other = others.first {
        let cause = "it is an increment of \(manifest.database), and not of \(other.database)"
        throw refusal("import", paths[index], cause)
      }
      if !earlier.isEmpty, let gap = manifest.gap(behind: earlier) {
        throw refusal("import", paths[index], gap.rawValue, gap.remedy)
      }
    }
  }

  private static let orderAdvice =
    "Name the whole export first, then its increments in the order in which they were made."

  /// Returns the failure of exports that do not go together.
  private static func refusal(
    _ operation: String,
    _ path: String,
    _ cause: String,
    _ remedy: String = orderAdvice
  ) -> Failure {
    Failure(.usage, operation, path: path, cause: cause, remedy: remedy)
  }

  /// Checks that the first of several exports is a whole one, and that the others add to it, in order and without gaps.
  ///
  /// A single export passes.
  ///
  /// - Parameters:
  ///   - manifests: The manifests of the exports; nil for an input that is not an export.
  ///   - paths: The paths of the exports.
  ///   - operation: The operation, for error messages.
  /// - Throws: `.usage`.
  static func assertSeries(
    _ manifests: [Manifest?],
    at paths: [String],
    to operation: String
  ) throws(Failure) {
    if manifests.count < 2 { return }
    guard let base = manifests[0], !base.isIncrement else {
      throw refusal(operation, paths[0], "it is no whole export")
    }
    var last = base.readTime
    for (index, manifest) in manifests.enumerated().dropFirst() {
      guard let manifest, manifest.adds(to: base) else {
        throw refusal(operation, paths[index], "it is no increment of \(paths[0])")
      }
      if let last, let time = manifest.readTime, time <= last {
        throw refusal(operation, paths[index], "it is older than \(paths[index - 1])")
      }
      if let gap = manifest.gap(behind: manifests[..<index].compactMap(\.self)) {
        throw refusal(operation, paths[index], gap.rawValue, gap.remedy)
      }
      last = manifest.readTime ?? last
    }
  }
}

extension Manifest.Scope {
  /// Whether a filter depends on the time zone, by which a day begins.
  package var dependsOnZone: Bool {
    let withoutDays = LiteralContext(database: nil) { _, _, _ in nil }
    return filters.contains { (try? FilterExpression.parse($0, in: withoutDays)) == nil }
  }

  /// Whether the absence of a field, or of one of ``fields``, means that a document did not have it.
  package var knowsFields: Bool { !isPartial || hasWholeDocuments }

  /// Whether a managed export of it needs a manifest, because its own files are of whole documents as they are stored.
  var needsMark: Bool { isMasked || !knowsFields }

  /// The scope of an export that has the documents of exported files.
  package func cut(to place: DocumentPlace) -> Manifest.Scope {
    let source = place.ownManifest
    var scope = self
    if let held = source?.scope { scope.narrow(to: held) }
    scope.isPartial = !(source?.holds(scope) ?? false)
    scope.hasWholeDocuments = scope.isPartial && place.knowsFields
    return scope
  }

  /// Takes over what another scope leaves out; the collections are compared by ``Manifest/holds(_:)`` instead.
  private mutating func narrow(to held: Manifest.Scope) {
    subcollections = subcollections && held.subcollections
    filters += held.filters.filter { filter in !filters.contains { $0.isIdentical(to: filter) } }
    timeZone = timeZone ?? held.timeZone
    limit = [limit, held.limit].compactMap(\.self).min()
    orderBy = orderBy ?? held.orderBy
    fields = Self.common(fields, held.fields)
    isView = isView || held.isView
    isMasked = isMasked || held.isMasked
  }

  /// The fields that two lists have in common; nil is the list of all fields.
  private static func common(_ a: [String]?, _ b: [String]?) -> [String]? {
    guard let a, let b else { return a ?? b }
    return a.flatMap { one in
      b.compactMap { other in
        guard let path = try? FieldPath(parsing: one), let second = try? FieldPath(parsing: other) else {
          return nil
        }
        return second.isPrefix(of: path) ? one : path.isPrefix(of: second) ? other : nil
      }
    }
  }

  private enum CodingKeys: String, CodingKey {
    case collections, subcollections
    case filters = "where"
    case timeZone, limit, orderBy, fields
    case isGroup = "group"
    case isView = "view"
    case isPartial = "partial"
    case hasWholeDocuments = "wholeDocuments"
    case isMasked = "masked"
  }

  /// Decodes a scope; missing members have their defaults.
  package init(from decoder: any Decoder) throws {
    let json = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      collections: try json.decodeIfPresent([String].self, forKey: .collections),
      subcollections: try json.decodeIfPresent(Bool.self, forKey: .subcollections) ?? false,
      filters: try json.decodeIfPresent([String].self, forKey: .filters) ?? [],
      timeZone: try json.decodeIfPresent(String.self, forKey: .timeZone),
      limit: try json.decodeIfPresent(Int.self, forKey: .limit),
      orderBy: try json.decodeIfPresent(String.self, forKey: .orderBy),
      fields: try json.decodeIfPresent([String].self, forKey: .fields),
      isGroup: try json.decodeIfPresent(Bool.self, forKey: .isGroup) ?? false,
      isView: try json.decodeIfPresent(Bool.self, forKey: .isView) ?? false,
      isPartial: try json.decodeIfPresent(Bool.self, forKey: .isPartial) ?? false,
      hasWholeDocuments: try json.decodeIfPresent(Bool.self, forKey: .hasWholeDocuments) ?? false,
      isMasked: try json.decodeIfPresent(Bool.self, forKey: .isMasked) ?? false
    )
  }

  package func encode(to encoder: any Encoder) throws {
    var json = encoder.container(keyedBy: CodingKeys.self)
    try json.encode(collections, forKey: .collections)
    try json.encode(subcollections, forKey: .subcollections)
    try json.encode(filters, forKey: .filters)
    try json.encodeIfPresent(timeZone, forKey: .timeZone)
    try json.encode(limit, forKey: .limit)
    try json.encodeIfPresent(orderBy, forKey: .orderBy)
    try json.encodeIfPresent(fields, forKey: .fields)
    if isGroup { try json.encode(true, forKey: .isGroup) }
    if isView { try json.encode(true, forKey: .isView) }
    if isPartial { try json.encode(true, forKey: .isPartial) }
    if hasWholeDocuments { try json.encode(true, forKey: .hasWholeDocuments) }
    if isMasked { try json.encode(true, forKey: .isMasked) }
  }
}
