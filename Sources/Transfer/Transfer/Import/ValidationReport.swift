import FirestoreModels
import Runs
import Tables

/// `validation.csv`: what is wrong with the rows of an import, found before anything is written.
///
/// one line per cell: file, row, column, heading, value, what was expected. The values are people's data, so what is reported
/// outside the file goes without them.
final class ValidationReport {
  /// Lines that are kept at most.
  static let maximumLines = 100_000
  /// Kinds of faults that are distinguished at most.
  private static let maximumKinds = 200
  /// Kinds that are reported on the terminal.
  private static let told = 20

  private struct Kind {
    var first: String
    var count: Int
  }

  private let list: LineList
  private var kinds: [UTF8Key: Int] = [:]
  private var found: [Kind] = []
  /// What was found.
  private(set) var count = 0
  /// The first that was found.
  private(set) var first: Failure?

  init(_ path: String) {
    list = LineList(path, header: Array("file,row,column,heading,value,expected\r\n".utf8))
  }

  /// Where it is, once there is a line in it.
  var path: String { list.path }

  /// Adds a fault.
  ///
  /// - Throws: `.cannotWrite`.
  func add(_ fault: RowFault, of source: ImportSource) throws(Failure) {
    count += 1
    if first == nil { first = fault.failure }
    let key = UTF8Key(
      "\(source.label)\u{0}\(fault.column ?? 0)\u{0}\(fault.column == nil ? "" : fault.expected)"
    )
    if let index = kinds[key] {
      found[index].count += 1
    } else if found.count < Self.maximumKinds {
      kinds[key] = found.count
      found.append(Kind(first: "\(source.label) \(fault.failure.cause)", count: 1))
    }
    if count > Self.maximumLines { return }
    let cells = [
      source.label, String(fault.row), fault.column.map { String($0) } ?? "", fault.heading ?? "",
      fault.value ?? "", fault.expected,
    ]
    try list.append(Array((cells.map(Self.quoted).joined(separator: ",") + "\r\n").utf8))
  }

  /// What was found, the first of each kind and how many more there are like it.
  var lines: [String] {
    var lines = found.prefix(Self.told).map { kind in
      kind.count == 1 ? "\(kind.first)." : "\(kind.first); \(kind.count - 1) more like it."
    }
    if found.count > Self.told { lines.append("… and \(found.count - Self.told) more kinds.") }
    return lines
  }

  /// A cell in quotes, and no formula.
  private static func quoted(_ text: String) -> String {
    let guardMark = CellForm.isFormula(Array(text.utf8)) ? "'" : ""
    return
      "\"\(guardMark)\(text.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\""))\""
  }
}
