import FirestoreREST

/// Documents in JSON Lines files or a managed export, as one side of a comparison.
///
/// Several snapshots may be layered, such as increments on top of a whole export: the last layer decides on each document,
/// and may list it as deleted. The files are read twice: first to find their collections, malformed lines and the order of
/// names, then to compare. If the names are not in order, the documents are sorted on disk first.
package struct Snapshot: Sendable {
  /// A line that is not a document.
  package struct Defect: Sendable, Equatable {
    /// `FILE:LINE`.
    package var label: String
    /// The error.
    package var reason: String
  }

  /// The path as given.
  package let path: String
  /// The database of the documents, if known.
  package let database: DatabaseName?
  /// The time as of which the documents were read, if known.
  package let moment: Timestamp?
  /// Warnings: an increment or a part used instead of a database, and files that are not as their export wrote them.
  package let warnings: [String]
  /// The paths of the latter.
  let alteredFiles: [String]
  static func warning(ofIncrement path: String) -> String {
    "\(path) is an increment, which lacks what had not changed. Name the whole export before it, too, and then each increment."
  }
  /// Warns of files that were exported with less than their collections have.
  private static func warning(ofPart place: DocumentPlace) throws(Failure) -> String? {
    guard let scope = place.ownManifest?.scope, try !WantedKnowledge(scope).knowsAbsence else { return nil }
    return "\(place.path) is an export of a part: documents and fields that it lacks count as missing."
  }
  /// The root collections.
  package let roots: [CollectionPath]
  /// The patterns of subcollections.
  let patterns: [CollectionPath]
  package let count: Int
  /// The first lines that are not documents.
  package let defects: [Defect]
  /// The number of lines that are not documents.
  package let defectCount: Int
  private let layers: [Layer]
  private let isSorted: Bool
  private let access: FileAccess

  /// The files of one path, with the collections that they hold as a whole, even on top of other layers.
  private struct Layer {
    var files: [ImportSource]
    /// The list of documents that are gone from earlier layers.
    var deleted: ImportSource?
    private var wholes: Set<CollectionPath> = []
    /// What is known not to exist by a whole export.
    private var whole: WantedKnowledge?

    init(of place: DocumentPlace, via access: FileAccess) throws(Failure) {
      // A manifest lists collections in the order of the command line.
      let sources = try place.sources(via: access)
      for source in sources { try source.assertNamesDocuments(in: place.path, via: access) }
      deleted = sources.last { $0.listsDeletions }
      try deleted?.assertListUnaltered(via: access)
      files = sources.filter { !$0.listsDeletions }.sorted {
        Snapshot.order(of: $0.path).compareUTF8(Snapshot.order(of: $1.path)) < 0
      }
      guard place.isFolder, let manifest = place.manifest else { return }
      wholes = Set(manifest.files.filter { $0.since == nil }.compactMap { CollectionPath($0.collection) })
      if !manifest.isIncrement { whole = try WantedKnowledge(manifest.scope) }
    }

    /// Whether the layer would contain a document if it existed, so that what earlier layers say of it is obsolete.
    func hides(_ path: DocumentPath) -> Bool {
      wholes.contains(path.collection) || wholes.contains(path.collection.pattern)
        || whole?.knowsAbsence(of: path) ?? false
    }
  }

  /// The maximum number of defects that are listed.
  private static let shownDefects = 1000

  /// Reads the files of one path, or those of a whole export and its increments, once.
  ///
  /// - Throws: The errors of ``init(layers:source:progress:via:)``; `.usage` unless several paths are a whole export and
  ///   its increments, in order.
  package init(
    _ paths: [String],
    source: DatabaseName?,
    progress: Progress,
    via access: FileAccess = .local
  ) throws {
    var reader = PlaceReader(access)
    let places = try paths.map { try reader.place(at: $0) }
    try Manifest.assertSeries(places.map(\.manifest), at: paths, to: "compare")
    try self.init(layers: places, source: source, progress: progress, via: access)
  }

  /// Reads the files once.
  ///
  /// - Parameters:
  ///   - places: JSON Lines files, compressed or not, or export folders, the earliest first.
  ///   - source: The database of the documents; nil for that of the manifest.
  ///   - progress: Receives the number of lines read.
  ///   - access: Gives access to the files.
  /// - Throws: ``Failure``: `.inputMissing`; `.inputMalformed` if a file cannot be read to its end, or a document occurs twice.
  package init(
    layers places: [DocumentPlace],
    source: DatabaseName?,
    progress: Progress,
    via access: FileAccess = .local
  ) throws {
    path = FilePaths.list(places.map(\.path))
    moment = places.last?.moment
    self.access = access
    layers = try places.map { try Layer(of: $0, via: access) }
    let files = layers.flatMap(\.files)
    let isIncrement = places.first?.manifest?.isIncrement ?? false
    let altered = try files.compactMap { file in
      try file.alteration(via: access).map { (path: file.path, warning: $0) }
    }
    alteredFiles = altered.map(\.path)
    let part = try places.first.flatMap(Self.warning(ofPart:))
    let lack = isIncrement ? Self.warning(ofIncrement: path) : part
    warnings = (lack.map { [$0] } ?? []) + altered.map(\.warning)
    database = source ?? ImportSource.database(of: files + layers.compactMap(\.deleted))
    var (roots, patterns) = (Set<CollectionPath>(), Set<CollectionPath>())
    var last: DocumentPath?
    var (isSorted, lines, count, defectCount) = (true, 0, 0, 0)
    var defects: [Defect] = []
    for file in files {
      try Task.checkCancellation()
      let reader = try NamedDocuments(file, via: access)
      let before = count + defectCount
      while let line = try reader.next() {
        lines += 1
        if lines.isMultiple(of: 1024) {
          try Task.checkCancellation()
          progress.advance(by: 1024)
        }
        switch line.document {
        case .success(let document):
          count += 1
          if let last, !(last < document.path) { isSorted = false }
          if last.map({ !Self.haveSameRoot($0, document.path) }) ?? true {
            roots.insert(document.path.collection.root)
          }
          if document.path.collection.parent != nil { patterns.insert(document.path.collection.pattern) }
          last = document.path
        case .failure(let failure):
          defectCount += 1
          if defects.count < Self.shownDefects {
            defects.append(Defect(label: "\(file.label):\(line.number)", reason: failure.cause))
          }
        }
      }
      if let cause = file.difference(of: count + defectCount - before) { throw file.incomplete(cause) }
    }
    progress.advance(by: lines % 1024)
    if !isSorted || layers.count > 1 {
      for layer in layers { try Self.assertDistinct(layer.files, via: access) }
    }
    (self.roots, self.patterns) = (roots.sorted(), patterns.sorted())
    self.isSorted = isSorted && layers.count < 2
    (self.count, self.defects, self.defectCount) = (count, defects, defectCount)
  }

  private static func assertDistinct(_ files: [ImportSource], via access: FileAccess) throws {
    var search = DuplicateSearch()
    for (index, file) in files.enumerated() {
      let reader = try NamedDocuments(file, via: access)
      while let line = try reader.next() {
        try Task.checkCancellation()
        guard case .success(let document) = line.document else { continue }
        try search.add(document.path, at: DuplicateSearch.Place(file: index, line: line.number))
      }
    }
    var first: (earlier: DuplicateSearch.Place, later: DuplicateSearch.Place)?
    try search.forEachPair { earlier, later in
      if first.map({ later < $0.later }) ?? true { first = (earlier, later) }
    }
    guard let (earlier, later) = first else { return }
    throw Failure(
      .inputMalformed,
      "compare the documents of",
      path: files[later.file].label,
      cause:
        "\(files[later.file].unit) \(later.line) has the same document as \(files[earlier.file].unit) \(earlier.line) of \(files[earlier.file].label)",
      remedy: "Leave out one of them."
    )
  }

  /// Refuses files with lines that are not documents.
  ///
  /// - Throws: `.inputMalformed` with the first of them.
  package func assertIntact(to operation: String) throws(Failure) {
    guard let defect = defects.first else { return }
    let others = defectCount > 1 ? ", and \(NumberText.counted(defectCount - 1, "other")) like it" : ""
    throw Failure(.inputMalformed, operation, path: defect.label, cause: "\(defect.reason)\(others)")
  }

  /// Returns all documents, root by root, each in the order of names.
  ///
  /// - Throws: The errors of ``documents(of:)``.
  package func documents() throws -> SnapshotDocuments {
    try documents(of: roots.map { CollectionScope($0, isDeep: true) })
  }

  /// Returns a file name without its extensions, which is the name of the collection.
  private static func order(of file: String) -> String {
    FileName(FilePaths.name(of: file)).stem
  }

  private static func haveSameRoot(_ a: DocumentPath, _ b: DocumentPath) -> Bool {
    let slash = UInt8(ascii: "/")
    return a.string.utf8.prefix { $0 != slash }.elementsEqual(b.string.utf8.prefix { $0 != slash })
  }

  /// Returns the documents of some scopes, scope by scope, each in the order of names.
  ///
  /// - Throws: ``Failure``: `.cannotWrite` if they cannot be sorted on disk.
  func documents(of scopes: [CollectionScope]) throws -> SnapshotDocuments {
    if isSorted, !CollectionScope.interleave(scopes) {
      return SnapshotDocuments(files: layers.flatMap(\.files), scopes: scopes, via: access)
    }
    return try sorted(scopes) { $0 }
  }

  /// Returns the same as ``documents(of:)``, but without fields; the scopes may be in any order.
  func names(of scopes: [CollectionScope]) throws -> SnapshotDocuments {
    try sorted(scopes) { RawDocument(path: $0.path, fields: FieldMap()) }
  }

  private func sorted(
    _ scopes: [CollectionScope],
    _ kept: (RawDocument) -> RawDocument
  ) throws -> SnapshotDocuments {
    var sort = DiskSort<ScopedDocument>()
    for (number, layer) in layers.enumerated() {
      let later = layers[(number + 1)...]
      for file in layer.files {
        let reader = try NamedDocuments(file, via: access)
        while let line = try reader.next() {
          guard case .success(let document) = line.document,
            let scope = CollectionScope.index(of: document.path, in: scopes)
          else { continue }
          try Task.checkCancellation()
          if later.contains(where: { $0.hides(document.path) }) { continue }
          try sort.add(ScopedDocument(kept(document), scope: scope, layer: number))
        }
      }
      guard number > 0, let deleted = layer.deleted else { continue }
      var list = try DeletedDocuments(deleted.path, via: access)
      while let path = try list.next()?.name {
        guard let scope = CollectionScope.index(of: path, in: scopes) else { continue }
        try sort.add(ScopedDocument(deleted: path, scope: scope, layer: number))
      }
    }
    return SnapshotDocuments(sorted: try sort.sorted())
  }
}

/// The documents of a snapshot, page by page and scope by scope.
package final class SnapshotDocuments {
  private static let pageSize = 300

  private let files: [ImportSource]
  private let scopes: [CollectionScope]
  private var sorted: SortedRecords<ScopedDocument>?
  /// The record that was read beyond the last document.
  private var held: ScopedDocument?
  private let parser = JSONParser(maximumBytes: 64 << 20)
  private var decoder = WireDecoder()
  private let access: FileAccess
  private var file = 0
  private var reader: NamedDocuments?
  private var ahead: (scope: Int, document: RawDocument)?

  /// Reads files whose names are in order, or else sorted documents.
  init(
    files: [ImportSource] = [],
    scopes: [CollectionScope] = [],
    via access: FileAccess = .local,
    sorted: consuming SortedRecords<ScopedDocument>? = nil
  ) {
    (self.files, self.scopes, self.access) = (files, scopes, access)
    self.sorted = sorted
  }

  /// Returns the next page of a scope, or nil at its end, skipping the remaining documents of earlier scopes.
  package func next(_ scope: Int) throws -> [RawDocument]? {
    var page: [RawDocument] = []
    var fill = BatchFill(count: Self.pageSize)
    while !fill.isFull, let (at, document) = try ahead ?? read() {
      ahead = (at, document)
      if at > scope { break }
      ahead = nil
      if at < scope { continue }
      page.append(document)
      fill.add(bytes: document.heldBytes)
    }
    return page.isEmpty ? nil : page
  }

  /// Returns the last layer's record of the next document that is not deleted there.
  private func nextSorted() throws -> ScopedDocument? {
    while let last = try lastOfNext() {
      if !last.isDeleted { return last }
    }
    return nil
  }

  private func lastOfNext() throws -> ScopedDocument? {
    guard var last = try held ?? sorted?.next() else { return nil }
    held = nil
    while let next = try sorted?.next() {
      guard next.isSameDocument(as: last) else {
        held = next
        break
      }
      last = next
    }
    return last
  }

  private func read() throws -> (scope: Int, document: RawDocument)? {
    if let next = try nextSorted() { return (next.scope, try next.document(parser, &decoder)) }
    while file < files.count {
      if reader == nil { reader = try NamedDocuments(files[file], via: access) }
      while let line = try reader?.next() {
        guard case .success(let document) = line.document,
          let scope = CollectionScope.index(of: document.path, in: scopes)
        else { continue }
        return (scope, document)
      }
      reader = nil
      file += 1
    }
    return nil
  }
}
