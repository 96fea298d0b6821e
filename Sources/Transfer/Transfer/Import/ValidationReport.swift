import Schema
import Tables

/// `validation.csv`: the errors in the rows of an import, found before anything is written.
///
/// Each line is a cell: file, row, column, heading, value and expectation. Values are personal data, so they are reported
/// only in this file.
final class ValidationReport {
  /// The maximum number of lines in the file.
  static let maximumLines = 100_000
  /// The maximum number of kinds of errors that are distinguished.
  private static let maximumKinds = 200
  /// The maximum number of kinds that are logged.
  private static let maximumLogged = 20

  /// The lines so far, for a checkpoint.
  struct Tally: Codable, Sendable {
    fileprivate struct Kind: Codable, Sendable {
      var file: String
      var column: Int
      var what: String
      var heading: String
      var first = ""
      var count = 1

      var key: KindKey {
        KindKey(file: UTF8Key(file), column: column, what: UTF8Key(what), heading: UTF8Key(heading))
      }
    }

    fileprivate var kinds: [Kind] = []
    fileprivate(set) var count = 0
  }

  fileprivate struct KindKey: Hashable {
    var file: UTF8Key
    var column: Int
    var what: UTF8Key
    var heading: UTF8Key
  }

  private static let largestWait = 32_768

  private let list: LineList
  private var waiting: [UInt8] = []
  private var positions: [KindKey: Int] = [:]
  /// The errors so far.
  private(set) var tally = Tally()
  /// For each kind, the position of the one that came next the last time, which is mostly the same for each document.
  private var next: [Int] = []
  private var last = 0
  private(set) var first: Failure?
  /// Whether a value breaks the schema, and whether there is any other error.
  private(set) var (hasBreaches, hasFaults) = (false, false)
  /// The first column of a field that documents must not have.
  private(set) var unexpectedColumn: Int?

  init(_ path: String) {
    let columns = ["file", "row", "column", "heading", "value", "expected"]
    list = LineList(path, header: CSVLineWriter.byteOrderMark + CSVLineWriter().bytes(columns))
  }

  /// The path of the file, which exists once it has a line.
  var path: String { list.path }

  /// The number of errors so far.
  var count: Int { tally.count }

  /// Continues after the lines of an interrupted run.
  func resume(after tally: Tally) {
    self.tally.count = tally.count
    for kind in tally.kinds { append(kind, kind.key) }
  }

  private func append(_ kind: Tally.Kind, _ key: KindKey) {
    positions[key] = tally.kinds.count
    tally.kinds.append(kind)
    next.append(0)
  }

  /// Adds an error.
  ///
  /// - Throws: `.cannotWrite`.
  func add(_ fault: RowFault, of source: ImportSource) throws(Failure) {
    tally.count += 1
    if count == 1 { first = fault.failure }
    if fault.code == nil { hasFaults = true } else { hasBreaches = true }
    if fault.code == SchemaViolation.Kind.forbidden.rawValue {
      unexpectedColumn = unexpectedColumn ?? fault.column
    }
    var kind = Tally.Kind(
      file: source.label,
      column: fault.column ?? 0,
      what: Self.what(fault),
      heading: fault.code == nil ? "" : fault.heading ?? ""
    )
    let key = kind.key
    if let position = position(of: key) {
      tally.kinds[position].count += 1
      next[last] = position
      last = position
    } else if tally.kinds.count < Self.maximumKinds {
      kind.first = "\(source.label) \(fault.failure.cause)"
      append(kind, key)
    }
    if count > Self.maximumLines { return }
    let cells = [
      source.label, String(fault.row), fault.column.map { String($0) } ?? "", fault.heading ?? "",
      fault.value ?? "", fault.expected,
    ]
    waiting += CSVLineWriter.list.bytes(cells)
    if waiting.count >= Self.largestWait { try flush() }
  }

  private func position(of key: KindKey) -> Int? {
    if next.isEmpty { return nil }
    let expected = next[last]
    return tally.kinds[expected].key == key ? expected : positions[key]
  }

  /// Writes the buffered lines, which are otherwise written many at a time.
  ///
  /// - Throws: `.cannotWrite`.
  func flush() throws(Failure) {
    if waiting.isEmpty { return }
    try list.append(waiting)
    waiting.removeAll(keepingCapacity: true)
  }

  /// What is wrong, in words that are the same for all errors of a kind.
  private static func what(_ fault: RowFault) -> String {
    if fault.code != nil || fault.hasValue { return fault.expected }
    if fault.column == nil { return "" }
    // The message of a record that cannot be read begins with its line.
    return fault.expected.firstRange(of: ": ").map { String(fault.expected[$0.upperBound...]) }
      ?? fault.expected
  }

  /// The errors for the log: the first of each kind, and the number of others like it.
  var lines: [String] {
    var lines = tally.kinds.prefix(Self.maximumLogged).map { kind in
      kind.count == 1 ? "\(kind.first)." : "\(kind.first); \(kind.count - 1) more like it."
    }
    if tally.kinds.count > Self.maximumLogged {
      lines.append("… and \(NumberText.counted(tally.kinds.count - Self.maximumLogged, "kind")) more.")
    }
    return lines
  }
}
