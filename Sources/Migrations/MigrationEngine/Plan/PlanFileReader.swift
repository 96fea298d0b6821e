import Files

/// Reads a plan file line by line.
package struct PlanFileReader: ~Copyable {
  package struct Line: Sendable, Equatable {
    /// The number of the line, from 1.
    package var number: Int
    package var database: DatabaseName
    /// The server on which the plan was made, as ``DatabaseEnvironment/server``; nil in plans of versions that did not record it.
    package var server: String?
    package var migration: LedgerEntry.Applied
    package var change: Change
    /// The transaction in which it is written with the lines next to it that have the same number; nil if by itself.
    package var transaction: Int?
  }

  /// The plan's end, once it was read and matches the lines before it.
  package private(set) var end: PlanEnd?

  private var lines: LineReader
  private let parser = JSONParser(maximumBytes: (64 << 20) + 64)
  private var decoder = WireDecoder()
  private var count = 0
  /// The digest of the lines so far; nil after the end.
  private var digest: SHA256Digest?

  /// - Throws: `.inputMissing`.
  package init(_ path: String) throws(Failure) {
    let digest = try SHA256Digest()
    lines = try LineReader(path)
    self.digest = consume digest
  }

  /// Reads a copy from its start.
  init(_ copy: InputCopy) throws(Failure) {
    let digest = try SHA256Digest()
    lines = LineReader(copy)
    self.digest = consume digest
  }

  /// Returns the next change; nil at the end.
  ///
  /// - Throws: `.inputMalformed` naming the line; also if the last line is truncated, or if the end does not match the lines
  ///   before it.
  package mutating func next() throws(Failure) -> Line? {
    guard try lines.advance() else { return nil }
    let number = lines.number
    do throws(WireError) {
      guard lines.isEnded else { throw WireError("it was cut off") }
      if self.end != nil { throw WireError("it is behind the plan's end") }
      var end: PlanEnd?
      let line = try lines.withLine { bytes throws(WireError) -> Line? in
        let line = try parser.parse(bytes) { json throws(WireError) -> Line? in
          end = try PlanEnd(json)
          return end == nil ? try Self.line(number, json, &decoder) : nil
        }
        if end != nil { return nil }
        digest?.update(bytes)
        withUnsafeBytes(of: UInt8(ascii: "\n")) { digest?.update($0) }
        return line
      }
      guard let end else {
        count += 1
        return line
      }
      let sha256 = digest.take()?.finish() ?? ""
      guard end.changes == count else {
        throw WireError("it counts \(end.changes) changes, and \(count) are before it")
      }
      guard end.sha256.isIdentical(to: sha256) else {
        throw WireError("the lines before it are not as they were planned")
      }
      self.end = end
    } catch {
      throw Failure(
        .inputMalformed,
        "read the plan",
        path: lines.path,
        cause: "line \(number): \(error)",
        remedy: Self.remedy
      )
    }
    return try next()
  }

  /// What to do if a plan is not as it was written.
  static let remedy = "Give a file as 'migrate plan -o' wrote it, or plan again."

  private static func line(
    _ number: Int,
    _ json: JSONCursor,
    _ decoder: inout WireDecoder
  ) throws(WireError) -> Line {
    guard let database = json["database"]?.string.flatMap({ DatabaseName(parsing: $0) }) else {
      throw WireError("its database is no projects/P/databases/D")
    }
    if let server = json["server"], server.string == nil { throw WireError("server is a text") }
    guard let migration = json["migration"]?.string else { throw WireError("migration is a name") }
    let change = try decoder.change(json)
    try check(change, json)
    return Line(
      number: number,
      database: database,
      server: json["server"]?.string,
      migration: LedgerEntry.Applied(id: migration, checksum: json["checksum"]?.string),
      change: change,
      transaction: try WireDecoder.transaction(json)
    )
  }

  /// Refuses a change that lacks something its write depends on, or that is to one of gymmigrate's own documents.
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
