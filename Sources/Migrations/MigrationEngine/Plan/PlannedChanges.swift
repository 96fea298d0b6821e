package import Files
package import FirestoreModels

/// The changes of a plan file, to be applied exactly as they were planned: a document that is not as it was read is left
/// alone and listed as conflicted.
///
/// The file is read once, into a private copy: what was checked is what is applied, whatever becomes of the file.
package struct PlannedChanges: ChangeList {
  /// The migrations that planned them, as `users-unify+is-active`.
  package let id: String
  /// None is known before the file is read.
  package let collections: [CollectionPath] = []
  /// The migrations that planned them, for the ledger.
  package let applied: [LedgerEntry.Applied]
  package let count: Int
  package let deletions: Int
  /// The SHA-256 of the plan, unpacked where it was gzip, in lower-case hexadecimal.
  package var sha256: String { copy.sha256 }
  /// Lists the collections below a document that is to be deleted; nil where they are not looked up.
  var subcollections: SubcollectionGuard.Lister?
  private let copy: InputCopy

  /// Reads a plan file through, in constant memory, so that nothing is begun with one that cannot be ended.
  ///
  /// - Parameters:
  ///   - file: Its path; `-` is standard input.
  ///   - database: The database that is to be changed.
  ///   - folder: The folder of the copy; that of temporary files where nil.
  /// - Throws: `.inputMissing`; `.inputMalformed` naming the line; `.notPermitted` where it was made for another database;
  ///   `.cannotWrite` where it cannot be copied.
  package init(
    file: String,
    database: DatabaseName,
    folder: String? = nil,
    via files: FileAccess = .local
  ) throws(Failure) {
    copy = try InputCopy(of: file, in: folder, via: files)
    var migrations: [LedgerEntry.Applied] = []
    var last: LedgerEntry.Applied?
    var (count, deletions) = (0, 0)
    var search = DuplicateSearch()
    var reader = PlanFileReader(copy)
    while let line = try reader.next() {
      guard line.database == database else {
        throw Failure(
          .notPermitted,
          "apply the plan",
          path: file,
          cause: "it was made for \(line.database), and this is \(database)",
          remedy: "Plan again on the database that is to be changed."
        )
      }
      if line.migration != last {
        migrations += line.migration.parts.filter { !migrations.contains($0) }
        last = line.migration
      }
      count += 1
      if line.change.isDeletion { deletions += 1 }
      try search.add(line.change.path, at: DuplicateSearch.Place(file: 0, line: line.number))
    }
    try Self.refuseDuplicates(search, of: file)
    applied = migrations
    self.count = count
    self.deletions = deletions
    id = migrations.isEmpty ? "plan" : migrations.map(\.id).joined(separator: "+")
  }

  /// Refuses a plan that has a document twice: each line depends on the document as it was read, which the other changes.
  private static func refuseDuplicates(
    _ search: consuming DuplicateSearch,
    of file: String
  ) throws(Failure) {
    var first: (earlier: Int, later: Int)?
    try search.forEachPair { earlier, later in
      if first.map({ later.line < $0.later }) ?? true { first = (earlier.line, later.line) }
    }
    guard let first else { return }
    throw Failure(
      .inputMalformed,
      "read the plan",
      path: file,
      cause: "line \(first.later) changes the same document as line \(first.earlier)",
      remedy: "Plan again with 'migrate plan -o', or remove one of the two lines."
    )
  }

  package func guarded(by subcollections: @escaping SubcollectionGuard.Lister) -> any ChangeList {
    var guarded = self
    guarded.subcollections = subcollections
    return guarded
  }

  /// Records each change, but for deletions of documents that have subcollections; positions are numbers of lines.
  package func record(
    in sink: any PlanSink,
    after position: String?,
    mark: (String) async throws -> Void
  ) async throws {
    var reader = PlanFileReader(copy)
    let done = position.flatMap { Int(count: $0) } ?? 0
    var outcomes: [Outcome] = []
    var documents: [RawDocument] = []
    func recordAll() async throws {
      if let subcollections { try await SubcollectionGuard.withhold(&outcomes, subcollections) }
      for (document, outcome) in zip(documents, outcomes) { try await sink.record(outcome, of: document) }
      outcomes.removeAll(keepingCapacity: true)
      documents.removeAll(keepingCapacity: true)
    }
    while let line = try reader.next() {
      if line.number <= done { continue }
      let change = line.change
      outcomes.append(Outcome(.change(change), migration: line.migration.id))
      documents.append(change.before ?? RawDocument(path: change.path, fields: FieldMap()))
      let isStop = line.number.isMultiple(of: 100)
      if isStop || outcomes.count == SubcollectionGuard.width { try await recordAll() }
      if isStop { try await mark(String(line.number)) }
    }
    try await recordAll()
  }
}
