import Schema

/// Numbers, dates and durations of sheets.
extension CellValues {
  /// Returns the long text for which the cell contains a mark.
  static func text(
    of mark: LongTextMark,
    _ longTexts: LongTextIndex?,
    in row: CellRow,
    _ index: Int
  ) throws(Fault) -> [UInt8] {
    let sheet = "the sheet '\(XLSXWriter.longTextsName)'"
    guard let long = try? longTexts?.text(mark.number), !mark.lacksPieces(of: long.pieces) else {
      throw Fault(
        expected: "all parts of text \(mark.number) in \(sheet) of the workbook, or all of the text here"
      )
    }
    guard mark.isUnchanged(beside: long.text) else {
      let advice = "leave it so and edit the text in \(sheet), or type all of it here"
      throw Fault(expected: "the beginning of a long text as it was written; \(advice)")
    }
    // The text may have been edited in its sheet, but not exchanged for that of another cell.
    guard mark.shows(long.text) || longTexts?.isText(mark.number, of: row, index) ?? false else {
      throw Fault(
        expected:
          "a long text of its own: text \(mark.number) in \(sheet) begins otherwise and was written for another cell; type all of the text here"
      )
    }
    return long.text
  }

  /// Returns the error for a whole number of a sheet that may have lost digits.
  static func lostDigits(_ type: Column.ValueType) -> Fault {
    let advice = "give it the format of text and type them, or the type double takes it as it is"
    return Fault(type, "; the cell is a number without all its digits: \(advice)")
  }

  /// Refuses a number in a column of doubles if the file has digits of it that no double holds.
  func assertDigits(of row: CellRow, _ index: Int) throws(Fault) {
    let isHeld = row.kind(index) == .padded || row.withUTF8(of: index) { Double(keepingDigits: $0) != nil }
    if !isHeld { throw Fault(expected: Self.unheldDigits) }
  }

  func number(
    of row: CellRow,
    _ index: Int,
    as type: Column.ValueType
  ) throws(Fault) -> Value {
    guard let number = row.number(index) else { throw Fault(type) }
    let isWhole = number.rounded() == number
    let whole = number.magnitude <= Self.largestExact ? Int64(exactly: number) : nil
    switch type {
    case .integer:
      if let whole { return .integer(whole) }
      if isWhole { throw Self.lostDigits(type) }
    case .double:
      try assertDigits(of: row, index)
      return .double(number)
    case .any:
      if isWhole, whole == nil { throw Self.lostDigits(type) }
      return whole.map { .integer($0) } ?? .double(number)
    case .boolean:
      if whole == 0 || whole == 1 { return .boolean(whole == 1) }
    case .string:
      if let whole { return .string(String(whole)) }
      if number.magnitude <= Self.largestExact { return .string(Self.digits(of: number)) }
      throw Self.lostDigits(type)
    case .timestamp:
      throw Fault(type, "; the cell is a number: give it the format of a date")
    case .array, .reference, .geopoint, .bytes: break
    }
    throw Fault(type)
  }

  /// Returns the shortest digits that represent a number.
  private static func digits(of number: Double) -> String {
    var digits: [UInt8] = []
    ShownText.append(number, to: &digits)
    return String(decoding: digits, as: UTF8.self)
  }

  // MARK: Dates and durations of sheets

  /// Returns a date among texts as plain CSV writes it: `2026-12-31 18:30:00`, at midnight without the time.
  static func shown(date: String) -> String {
    date.hasSuffix(midnight) ? String(date.dropLast(midnight.count)) : date.replacing("T", with: " ")
  }

  /// Returns a date at midnight without its time, so that its start exists even if the clocks skip midnight; any other date
  /// unchanged.
  static func withoutMidnight(_ date: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
    let end = date.count - midnight.utf8.count
    guard end > 0, date[end...].elementsEqual(midnight.utf8) else { return date }
    return UnsafeBufferPointer(rebasing: date[..<end])
  }

  private static let midnight = "T00:00:00"

  /// Returns a duration as text or, for numeric types, its seconds.
  func duration(_ text: String, as type: Column.ValueType) throws(Fault) -> Value {
    let seconds = SheetDuration(text)?.seconds ?? .nan
    switch type {
    case .string, .any: return .string(text)
    case .double: return .double(seconds)
    case .integer: if let whole = Int64(exactly: seconds) { return .integer(whole) }
    default: break
    }
    throw Fault(type, "; the cell is a duration")
  }
}
