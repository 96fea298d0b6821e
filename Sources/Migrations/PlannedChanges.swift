public import Models
import Transfer

/// The changes of a plan file, to be applied exactly as they were planned: a document that is not as it was read is left
/// alone and listed as conflicted.
public struct PlannedChanges: ResumableMigration {
  /// The migrations that planned them, as `users-unify+is-active`.
  public let id: String
  /// What is told of it.
  public let summary = "Applies the changes of a plan file."
  /// The collections that are not known before the file is read.
  public let reads: [CollectionPath] = []
  /// As ``reads``.
  public let writes: [CollectionPath] = []
  /// The migrations that planned them, for the ledger.
  public let migrations: [LedgerEntry.Applied]
  /// How many there are.
  public let count: Int
  private let file: String

  /// Reads a plan file through, in constant memory, so that nothing is begun with one that cannot be ended.
  ///
  /// - Throws: `.inputMissing`; `.inputMalformed` naming the line; `.notPermitted` where it was made for another database.
  public init(file: String, database: DatabaseName) throws(Failure) {
    self.file = file
    var migrations: [LedgerEntry.Applied] = []
    var count = 0
    var reader = try PlanReader(file)
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
    }
    self.migrations = migrations
    self.count = count
    id = migrations.isEmpty ? "plan" : migrations.map(\.id).joined(separator: "+")
  }

  /// Any collection.
  public func mayWrite(_ collection: CollectionPath) -> Bool { true }

  /// By path.
  public var namesDocuments: Bool { true }

  /// Tells each change; positions are numbers of lines.
  public func plan(
    into sink: any PlanSink,
    after position: String?,
    mark: (String) async throws -> Void
  ) async throws {
    var reader = try PlanReader(file)
    let done = position.flatMap { Int(count: $0) } ?? 0
    while let line = try reader.next() {
      if line.number <= done { continue }
      let change = line.change
      let document = change.before ?? RawDocument(path: change.path, fields: FieldMap())
      let outcome = Outcome(.change(change), migration: line.migration.id)
      try await sink.tell(outcome, of: document)
      if line.number.isMultiple(of: 100) { try await mark(String(line.number)) }
    }
  }
}

/// Reads a plan file line by line.
public struct PlanReader: ~Copyable {
  /// One change.
  public struct Line: Sendable, Equatable {
    /// The number of the line, from 1.
    public var number: Int
    /// The database that it was planned for.
    public var database: DatabaseName
    /// The migration that planned it.
    public var migration: LedgerEntry.Applied
    /// What it changes.
    public var change: Change
  }

  private var lines: LineReader
  private let parser = JSONParser(maximumBytes: (64 << 20) + 64)
  private var decoder = WireDecoder()

  /// Opens a file.
  ///
  /// - Throws: `.inputMissing`.
  public init(_ path: String) throws(Failure) {
    lines = try LineReader(path)
  }

  /// The next change, nil at the end.
  ///
  /// - Throws: `.inputMalformed` naming the line; also where the last line was cut off.
  public mutating func next() throws(Failure) -> Line? {
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
    var root = change.path.collection
    while let parent = root.parent { root = parent.collection }
    if let problem = DeclarativeMigration.problem(of: root, isGroup: false) { throw WireError(problem) }
  }
}
