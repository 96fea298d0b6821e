import Schema
import Tables

/// Determines in which columns numbers have decimal points, so that a decimal comma is not suggested because of a single cell.
///
/// A column is examined only once, when the first of its cells is refused.
struct PointedColumns {
  /// The maximum number of rows to examine.
  private static let searchedRows = 100_000

  private let source: ImportSource
  private let options: TableOptions
  private var known: [Int: Bool] = [:]

  init(_ source: ImportSource, _ options: TableOptions) { (self.source, self.options) = (source, options) }

  /// Returns what was expected of a cell, without advice that other cells of its column contradict.
  mutating func advised(_ expected: String, _ text: String, _ index: Int) -> String {
    let numbers = TypedNumbers(options.reading)
    let text = Array(text.utf8)
    guard options.usesDecimalComma != true, let advice = numbers.advice(text),
      advice.contains("--decimal-comma"), isPointed(index)
    else { return expected }
    let other = numbers.advice(text, besidePoints: true)
    return expected.replacing(
      advice,
      with: other ?? "others of the column have a point before their decimals, so write it with one"
    )
  }

  private mutating func isPointed(_ index: Int) -> Bool {
    if let known = known[index] { return known }
    let found = (try? search(index)) ?? false
    known[index] = found
    return found
  }

  private func search(_ index: Int) throws(Failure) -> Bool {
    // A number in a sheet is a number under any option.
    if source.isStream || source.format == .xlsx { return false }
    var reader = try TableReader(source, options)
    // The header.
    guard try reader.next() else { return false }
    for _ in 0..<Self.searchedRows {
      do throws(Failure) {
        guard try reader.next() else { return false }
      } catch {
        // The error is reported when the row is read as a document.
        if RowFault(malformed: error) == nil { throw error }
        continue
      }
      if reader.row.withUTF8(of: index, { TypedNumbers.needsPoint($0) }) { return true }
    }
    return false
  }
}
