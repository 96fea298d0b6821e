package import FirestoreModels
package import Schema

/// Parses the cells of a table as written by export, saved by spreadsheets or typed by people.
package struct CellValues {
  /// A cell that does not match its column.
  package struct Fault: Error {
    /// What was expected.
    package let expected: String

    package init(expected: String) {
      self.expected = expected
    }
  }

  package let isSheet: Bool
  private let readsForms: Bool
  private let text: CellText
  private let timeZone: LocalTimeZone
  private let parser = JSONParser()

  /// The words for true and false in a column of booleans.
  private static let words = [
    "true": true, "verdadero": true, "sí": true, "si": true, "yes": true, "1": true,
    "false": false, "falso": false, "no": false, "0": false,
  ]
  private static let largestExact = 9_007_199_254_740_992.0

  /// Creates the rules of a table.
  ///
  /// - Throws: ``Failure`` of kind `usage` for an ambiguous null text.
  package init(_ plan: TablePlan, _ options: TableOptions) throws(Failure) {
    isSheet = plan.isSheet
    readsForms = plan.readsForms
    timeZone = options.timeZone
    text = try CellText(
      nullText: options.nullText,
      timeZone: options.timeZone,
      neutralisesFormulas: plan.isForExcel
    )
  }

  /// The rules for writing the same table.
  package var writing: CellText { text }

  /// Returns the value of a cell; nil if it is missing.
  package func value(
    of row: CellRow,
    _ index: Int,
    as type: Column.ValueType,
    _ longTexts: LongTextIndex?
  ) throws(Fault) -> Value? {
    switch row.kind(index) {
    case .missing: return nil
    case .blankText: return readsForms && (type == .string || type == .any) ? .string("") : nil
    case .error: throw Fault(expected: "\(Self.name(of: type)); the cell is an error of the spreadsheet")
    case .bare, .text:
      return try row.withUTF8(of: index) { utf8 throws(Fault) in
        if let longTexts, let long = try? longTexts.text(of: utf8) {
          return try long.span.withUnsafeBufferPointer { utf8 throws(Fault) in try value(of: utf8, as: type) }
        }
        return try value(of: utf8, as: type)
      }
    case .double where readsForms, .integer where readsForms:
      guard type != .string, let number = Double(row[index]) else { return try number(row[index], as: type) }
      if row.kind(index) == .double { return .double(number) }
      return Int64(exactly: number).map { .integer($0) } ?? .double(number)
    case .number, .double, .integer: return try number(row[index], as: type)
    case .boolean:
      switch type {
      case .boolean, .any: return .boolean(row[index] == "true")
      default: throw Fault(expected: Self.name(of: type))
      }
    case .date:
      guard type == .timestamp || type == .any else {
        throw Fault(expected: "\(Self.name(of: type)); the cell is a date")
      }
      return try row.withUTF8(of: index) { utf8 throws(Fault) in try moment(utf8) }
    case .time:
      // A typed "18:30" is a time of day, which the apps store as text.
      guard type == .string || type == .any else {
        throw Fault(expected: "\(Self.name(of: type)); the cell is a time of day")
      }
      return .string(row[index])
    }
  }

  package func isNull(_ utf8: UnsafeBufferPointer<UInt8>) -> Bool {
    !utf8.isEmpty && utf8.elementsEqual(text.nullBytes)
  }

  package func isREST(_ utf8: UnsafeBufferPointer<UInt8>) -> Bool {
    (try? text.value(of: utf8, isQuoted: true, as: .any, parser: parser)) != nil
  }

  package func isArray(_ utf8: UnsafeBufferPointer<UInt8>) -> Bool {
    (try? text.value(of: utf8, isQuoted: true, as: .array, parser: parser)) != nil
  }

  /// Returns the boolean for a word in any case.
  package static func boolean(_ utf8: UnsafeBufferPointer<UInt8>, words: [String: Bool]) -> Bool? {
    if utf8.count > 10 { return nil }
    return words[String(decoding: utf8, as: UTF8.self).lowercased()]
  }

  /// Describes the valid cells of a type.
  package static func name(of type: Column.ValueType) -> String {
    switch type {
    case .string: "text"
    case .integer: "a whole number"
    case .double: "a number"
    case .boolean: "true or false"
    case .timestamp: "a date, such as 31/12/2026, 2026-12-31 18:30 or RFC 3339"
    case .array: "a JSON array"
    case .any: "a value"
    }
  }

  // MARK: Text

  private func value(of utf8: UnsafeBufferPointer<UInt8>, as type: Column.ValueType) throws(Fault) -> Value? {
    guard let first = utf8.first else {
      // Some programs quote every cell; only in columns that allow text is this an empty text.
      return type == .string || type == .any ? .string("") : nil
    }
    if isSheet, type == .any, !isNull(utf8), first != UInt8(ascii: "{"), first != UInt8(ascii: "[") {
      return textOfSheet(utf8)
    }
    // In tables by people, a text may start with a bracket.
    if !readsForms, type == .string, !isNull(utf8),
      first == UInt8(ascii: "[") || (first == UInt8(ascii: "{") && !isREST(utf8))
    {
      return .string(String(decoding: utf8, as: UTF8.self))
    }
    do throws(CellError) {
      return try text.value(of: utf8, isQuoted: true, as: type, parser: parser)
    } catch {
      if first == UInt8(ascii: "{") || first == UInt8(ascii: "[") {
        let once = error.repetition.map { ", with \($0) given once" } ?? ""
        throw Fault(expected: "\(Self.name(of: type)), or JSON as export writes it\(once)")
      }
      return try typed(Self.trimmed(utf8), as: type)
    }
  }

  /// Parses what people type into columns with a type.
  private func typed(_ utf8: UnsafeBufferPointer<UInt8>, as type: Column.ValueType) throws(Fault) -> Value? {
    switch type {
    case .boolean:
      if let truth = Self.boolean(utf8, words: Self.words) { return .boolean(truth) }
    case .timestamp: return try moment(utf8)
    case .integer, .double:
      if let value = try? text.value(of: utf8, isQuoted: false, as: type, parser: parser) { return value }
    default: break
    }
    throw Fault(expected: Self.name(of: type))
  }

  private func moment(_ utf8: UnsafeBufferPointer<UInt8>) throws(Fault) -> Value {
    if let moment = Timestamp(rfc3339: utf8) { return .timestamp(moment) }
    guard let date = DateText(utf8) else { throw Fault(expected: Self.name(of: .timestamp)) }
    guard let moment = timeZone.moment(of: date) else {
      throw Fault(expected: "a local time that exists in \(timeZone.name)")
    }
    return .timestamp(moment)
  }

  /// Parses a sheet's text in a column without a type: text, unless only text can represent it.
  private func textOfSheet(_ utf8: UnsafeBufferPointer<UInt8>) -> Value {
    let string = String(decoding: utf8, as: UTF8.self)
    switch CellForm(utf8) {
    case .text, .boolean: return .string(string)
    case .integer:
      if let number = Int64(string), number.magnitude > UInt64(Self.largestExact) { return .integer(number) }
    case .double:
      if let number = Double(string), !SheetCells.isSpreadsheetNumber(number) {
        return .double(number.isNaN ? .nan : number)
      }
    case .timestamp:
      if let moment = Timestamp(rfc3339: utf8) { return .timestamp(moment) }
    }
    return .string(string)
  }

  private static func trimmed(_ utf8: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
    var range = utf8.indices
    while let first = range.first, utf8[first] == 0x20 || utf8[first] == 0x09 { range.removeFirst() }
    while let last = range.last, utf8[last] == 0x20 || utf8[last] == 0x09 { range.removeLast() }
    return UnsafeBufferPointer(rebasing: utf8[range])
  }

  // MARK: Numbers of sheets

  private func number(_ digits: String, as type: Column.ValueType) throws(Fault) -> Value {
    guard let number = Double(digits) else { throw Fault(expected: Self.name(of: type)) }
    let whole = number.magnitude <= Self.largestExact ? Int64(exactly: number) : nil
    switch type {
    case .integer:
      if let whole { return .integer(whole) }
    case .double: return .double(number)
    case .any: return whole.map { .integer($0) } ?? .double(number)
    case .boolean:
      if whole == 0 || whole == 1 { return .boolean(whole == 1) }
    case .string:
      if let whole { return .string(String(whole)) }
      if number.magnitude < Self.largestExact { return .string(digits) }
      throw Fault(expected: "text; the cell is a number without all its digits")
    case .timestamp: throw Fault(expected: "\(Self.name(of: type)); the cell is a number")
    case .array: break
    }
    throw Fault(expected: Self.name(of: type))
  }
}
