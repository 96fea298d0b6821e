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
    var (count, deletions) = (0, 0)
    var reader = try PlanReader(copy)
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
      if !migrations.contains(line.migration) { migrations.append(line.migration) }
      count += 1
      if line.change.isDeletion { deletions += 1 }
    }
    applied = migrations
    self.count = count
    self.deletions = deletions
    id = migrations.isEmpty ? "plan" : migrations.map(\.id).joined(separator: "+")
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
    var reader = try PlanReader(copy)
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

/// Reads a plan file line by line.
package struct PlanReader: ~Copyable {
  package struct Line: Sendable, Equatable {
    /// The number of the line, from 1.
    package var number: Int
    package var database: DatabaseName
    package var migration: LedgerEntry.Applied
    package var change: Change
  }

  private var lines: LineReader
  private let parser = JSONParser(maximumBytes: (64 << 20) + 64)
  private var decoder = WireDecoder()

  /// - Throws: `.inputMissing`.
  package init(_ path: String) throws(Failure) {
    lines = try LineReader(path)
  }

  /// Reads a copy from its start.
  ///
  /// - Throws: `.inputMissing`.
  init(_ copy: InputCopy) throws(Failure) {
    lines = try LineReader(copy)
  }

  /// The next change, nil at the end.
  ///
  /// - Throws: `.inputMalformed` naming the line; also where the last line was cut off.
  package mutating func next() throws(Failure) -> Line? {
    guard try lines.advance() else { return nil }
    let number = lines.number
    do throws(WireError) {
      guard lines.isEnded else { throw WireError("it was cut off") }
      return try lines.withLine { bytes throws(WireError) in
        try parser.parse(bytes) { json throws(WireError) in
          guard let database = json["database"]?.string.flatMap({ DatabaseName(parsing: $0) }) else {
            throw WireError("database is projects/P/databases/D")
          }
          guard let migration = json["migration"]?.string else { throw WireError("migration is a name") }
          let change = try decoder.change(json)
          try Self.check(change, json)
          return Line(
            number: number,
            database: database,
            migration: LedgerEntry.Applied(id: migration, checksum: json["checksum"]?.string),
            change: change
          )
        }
      }
    } catch {
      throw Failure(
        .inputMalformed,
        "read the plan",
        path: lines.path,
        cause: "line \(number): \(error)",
        remedy: "Give a file that 'migrate plan -o' wrote."
      )
    }
  }

  /// Refuses a change that does not say all that its write depends on, or one of gymmigrate's own documents.
  private static func check(_ change: Change, _ json: JSONCursor) throws(WireError) {
    if change.before == nil, change.isDeletion { throw WireError("before and after are both missing") }
    if change.before != nil, change.before?.updateTime == nil { throw WireError("updateTime is missing") }
    if let violation = PathLimits.violations(of: change.path).first { throw WireError(violation.message) }
    if json["serverTimes"] == nil { throw WireError("serverTimes is missing") }
    if let problem = DeclarativeMigration.problem(of: change.path.collection.root, isGroup: false) {
      throw WireError(problem)
    }
  }
}
