import Files

/// Reads a plan file line by line.
package struct PlanFileReader: ~Copyable {
  package struct Line: Sendable, Equatable {
    /// The number of the line, from 1.
    package var number: Int
    package var database: DatabaseName
    /// The server on which it was planned, as ``DatabaseEnvironment/server``; nil in plans of versions that did not record it.
    package var server: String?
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
  init(_ copy: InputCopy) {
    lines = LineReader(copy)
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
            throw WireError("its database is no projects/P/databases/D")
          }
          if let server = json["server"], server.string == nil { throw WireError("server is a text") }
          guard let migration = json["migration"]?.string else { throw WireError("migration is a name") }
          let change = try decoder.change(json)
          try Self.check(change, json)
          return Line(
            number: number,
            database: database,
            server: json["server"]?.string,
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
