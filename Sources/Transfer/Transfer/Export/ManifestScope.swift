import Files
package import FirestoreREST

extension Manifest {
  /// The names of the files that the folder of the export has.
  var knownFiles: Set<UTF8Key> { Set((allFiles.map(\.file) + [Self.fileName]).map { UTF8Key($0) }) }

  /// Returns whether two exports were asked for in the same way, so that one replaces the other, or adds to it.
  func isOfSameSeries(as other: Manifest) -> Bool { other.scope.map { isOfSeries($0, other.kind) } ?? false }

  /// Returns whether it has a scope, and files of a kind; an empty export has none that could differ.
  func isOfSeries(_ scope: Scope, _ kind: FileName.Kind?) -> Bool {
    guard scope == self.scope, let kind, let own = self.kind else { return scope == self.scope }
    return kind == own
  }

  /// The kind of the files, by the first one.
  private var kind: FileName.Kind? { allFiles.first.flatMap { FileName($0.file).kind } }

  /// Checks that an export into the folder of this one takes the place of all its files: nothing would name those that it leaves.
  ///
  /// - Parameters:
  ///   - scope: That of the new export.
  ///   - selection: What it takes.
  /// - Throws: `.cannotWrite`.
  package func assertReplaced(
    by scope: Scope,
    _ selection: CollectionSelection,
    in folder: String
  ) throws(Failure) {
    if scope == self.scope || selection.names.isEmpty && !scope.isGroup { return }
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

  /// Returns whether this full export can be the base of an increment.
  func isBase(of increment: Manifest) -> Bool { !isIncrement && comprises(increment) }

  /// Returns whether it has what an increment tells the changes of: it is of the same series, or has subcollections besides, as one
  /// to which an earlier version added.
  func comprises(_ increment: Manifest) -> Bool {
    guard var others = increment.scope else { return false }
    if scope?.subcollections ?? false { others.subcollections = true }
    return isOfSeries(others, increment.kind)
  }

  /// The index of the whole export that an increment adds to, of those before it, oldest first.
  func base(in earlier: [Manifest]) -> Int? {
    earlier.lastIndex { !$0.isIncrement && $0.isOfSameSeries(as: self) }
      ?? earlier.lastIndex { $0.isBase(of: self) }
  }

  /// Whether it lies over a whole export: one increment of it, or one in which every collection is whole.
  func adds(to base: Manifest) -> Bool {
    let isDeep = scope?.subcollections ?? true
    return (isIncrement || !isDeep) && database == base.database && base.isBase(of: self)
  }

  /// Checks that the documents are as they are stored.
  ///
  /// - Throws: As ``viewRefusal(_:)``.
  func assertStored(_ path: String) throws(Failure) {
    if scope?.isView ?? false { throw Self.viewRefusal(path) }
  }

  /// The refusal of an export that shows documents otherwise than they are stored.
  static func viewRefusal(_ path: String) -> Failure {
    .malformed(
      path,
      "it is an export for people, which shows documents otherwise than they are stored",
      remedy: "Export what is to be edited and imported as it is stored."
    )
  }

  /// Whether an increment lacks what happened after a moment and before the export that it was made since.
  ///
  /// Of manifests that do not say which one that was, only gaps of more than ten minutes are known.
  func leavesGap(after moment: Timestamp) -> Bool {
    isIncrement && ([after] + files.map(\.since)).contains { $0.map { moment < $0 } ?? false }
  }

  /// What is wrong with an increment that leaves a gap.
  static let gap = "the increment before it is missing"

  /// Whether exports may hold states of the same documents.
  private func overlaps(_ other: Manifest) -> Bool {
    guard database == other.database else { return false }
    let own = Set(files.map { UTF8Key($0.collection) })
    return other.files.contains { own.contains(UTF8Key($0.collection)) }
  }

  /// Checks that the increments among exports that are imported together come behind what they add to, in their order and
  /// without a gap.
  ///
  /// - Parameters:
  ///   - manifests: Those of the exports, as they were named.
  ///   - paths: Where they are.
  /// - Throws: `.usage`.
  static func assertOrder(_ manifests: [Manifest], at paths: [String]) throws(Failure) {
    /// The last of those named before one that may hold states of the same documents, where one of both is an increment.
    func last(before index: Int) -> Timestamp? {
      manifests[..<index].filter { earlier in
        (earlier.isIncrement || manifests[index].isIncrement) && earlier.overlaps(manifests[index])
      }.compactMap(\.readTime).max()
    }
    func refusal(_ index: Int, _ cause: String, _ remedy: String) -> Failure {
      Failure(.usage, "import", path: paths[index], cause: cause, remedy: remedy)
    }
    for (index, manifest) in manifests.enumerated() {
      guard let last = last(before: index), let time = manifest.readTime, time < last else { continue }
      throw refusal(index, "it is older than an export that is named before it", orderAdvice)
    }
    for (index, manifest) in manifests.enumerated() {
      if let last = last(before: index), manifest.leavesGap(after: last) {
        throw refusal(index, gap, gapAdvice)
      }
    }
  }

  private static let orderAdvice =
    "Name the whole export first, then its increments in the order in which they were made."
  private static let gapAdvice =
    "Name that one, too. Where it is lost, import each of the others by itself: what changed meanwhile is missing then."

  /// Checks that the first of several exports is whole, and that the others add to it, in their order and without a gap; of one,
  /// nothing.
  ///
  /// - Parameters:
  ///   - manifests: Nil for what is no export.
  ///   - paths: Where they are.
  ///   - operation: What is done with them, for errors.
  /// - Throws: `.usage`.
  static func assertSeries(
    _ manifests: [Manifest?],
    at paths: [String],
    to operation: String
  ) throws(Failure) {
    if manifests.count < 2 { return }
    func refusal(_ index: Int, _ cause: String, _ remedy: String = Manifest.orderAdvice) -> Failure {
      Failure(
        .usage,
        operation,
        path: paths[index],
        cause: cause,
        remedy: remedy
      )
    }
    guard let base = manifests[0], !base.isIncrement else { throw refusal(0, "it is no whole export") }
    var last = base.readTime
    for (index, manifest) in manifests.enumerated().dropFirst() {
      guard let manifest, manifest.adds(to: base) else {
        throw refusal(index, "it is no increment of \(paths[0])")
      }
      if let last, let time = manifest.readTime, time <= last {
        throw refusal(index, "it is older than \(paths[index - 1])")
      }
      if let last, manifest.leavesGap(after: last) { throw refusal(index, gap, gapAdvice) }
      last = manifest.readTime ?? last
    }
  }
}

extension Manifest.Scope {
  private enum CodingKeys: String, CodingKey {
    case collections, subcollections
    case filters = "where"
    case limit, orderBy, fields
    case isGroup = "group"
    case isView = "view"
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
      isGroup: try json.decodeIfPresent(Bool.self, forKey: .isGroup) ?? false,
      isView: try json.decodeIfPresent(Bool.self, forKey: .isView) ?? false
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
    if isView { try json.encode(true, forKey: .isView) }
  }
}
