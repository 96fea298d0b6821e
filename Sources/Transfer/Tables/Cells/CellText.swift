package import Schema

/// The text of a cell: how a value is written and (``value(of:isQuoted:as:parser:)``) read back.
///
/// A value of its column's type is plain text: `Ana`, `7`, `10.0`, `true`, `2026-01-31T18:00:00Z`. Any other
/// value is its REST JSON, `{"integerValue":"7"}`. These rules make every cell unambiguous:
///
/// - A missing value is an empty cell; an empty text is a quoted empty cell, `""`; null is ``nullText``.
/// - A cell that starts with `{` is REST JSON (`{}` is the empty map). One that starts with `[` is an array
///   of literals and REST JSON, `["a", 7, 1.5, true, null, {"timestampValue": …}]`. A text that starts with
///   either, equals the null text, or is an error of a spreadsheet (`#REF!`), is written as `{"stringValue": …}`.
/// - In a column without a type, the form of a cell determines its type: a whole number without leading zeros
///   is an integer, a number with a point or an exponent a double; likewise `NaN`, `true`, `FALSE` and RFC
///   3339. A text of such a form is written as `{"stringValue":"7"}`. So is one that looks like a reference or
///   geo point, such as `cars/c1`, as it would become one beside such values.
/// - A double always has a point or an exponent, or is `NaN`, `Infinity` or `-Infinity`; it is the shortest
///   text that represents the same bits.
package struct CellText: Sendable {
  package let nullText: String
  /// The time zone of timestamps; UTC if nil.
  package let timeZone: LocalTimeZone?
  /// Whether an apostrophe precedes texts that a spreadsheet would evaluate as formulas.
  package let neutralisesFormulas: Bool

  let nullBytes: [UInt8]
  private var json = JSONWriter()

  /// Creates the rules of a table.
  ///
  /// - Throws: ``Failure`` of kind `usage` for an ambiguous null text.
  package init(
    nullText: String = "null",
    timeZone: LocalTimeZone? = nil,
    neutralisesFormulas: Bool = false
  ) throws(Failure) {
    let bytes = Array(nullText.utf8)
    let first = bytes.first ?? 0
    if first == UInt8(ascii: "{") || first == UInt8(ascii: "[") || bytes.contains(where: { $0 < 0x20 }) {
      throw Failure(
        .usage,
        "write null as that text",
        cause: "it begins with { or [, or contains a control character",
        remedy: "Choose another --null, such as null or \\N."
      )
    }
    self.nullText = nullText
    self.timeZone = timeZone
    self.neutralisesFormulas = neutralisesFormulas
    nullBytes = bytes
  }

  // MARK: Writing

  /// Appends the text of a value, without the quotes of a file format; nothing for an empty text.
  ///
  /// - Throws: ``WireError`` if the value cannot be read.
  mutating func append(
    of value: some ReadableValue,
    as type: Column.ValueType,
    to out: inout [UInt8]
  ) throws(WireError) {
    let start = out.count
    switch (try value.view(), type) {
    case (.null, _):
      out.append(contentsOf: nullBytes)
      return
    case (.string(let text), .string), (.string(let text), .any):
      let isPlain = text.withBytes { appendText($0, isTyped: type == .string, to: &out) }
      if !isPlain { try appendREST(value, to: &out) }
      return
    case (.integer(let number), .integer), (.integer(let number), .any):
      CellForm.append(number, to: &out)
    case (.double(let number), .double), (.double(let number), .any):
      CellForm.append(number, to: &out)
    case (.boolean(let truth), .boolean), (.boolean(let truth), .any):
      out.append(contentsOf: (truth ? "true" : "false").utf8)
    case (.timestamp(let moment), .timestamp), (.timestamp(let moment), .any):
      append(moment.timestamp, to: &out)
    case (.array(let elements), .array), (.array(let elements), .any):
      try appendArray(elements, to: &out)
    case (.map(let fields), _) where fields.isEmpty:
      out.append(contentsOf: "{}".utf8)
    default:
      return try appendREST(value, to: &out)
    }
    if !nullBytes.isEmpty, out.count - start == nullBytes.count, out[start...].elementsEqual(nullBytes) {
      out.removeSubrange(start...)
      try appendREST(value, to: &out)
    }
  }

  /// Appends the text of a decoded value.
  package mutating func append(_ value: Value, as type: Column.ValueType, to out: inout [UInt8]) {
    do throws(WireError) {
      try append(of: value, as: type, to: &out)
    } catch {
      assertionFailure("a decoded value is invalid: \(error)")
    }
  }

  /// Appends a text unchanged, or returns false if it would be read back as something else.
  private func appendText(_ utf8: UnsafeBufferPointer<UInt8>, isTyped: Bool, to out: inout [UInt8]) -> Bool {
    if utf8.isEmpty { return true }
    guard isItself(utf8, isTyped: isTyped) else { return false }
    if neutralisesFormulas, CellForm.isFormula(utf8) { out.append(UInt8(ascii: "'")) }
    out.append(contentsOf: utf8)
    return true
  }

  /// Whether the text of a cell is read back as itself.
  ///
  /// - Parameter isTyped: Whether the column is of strings; otherwise it has no type.
  func isPlain(_ utf8: UnsafeBufferPointer<UInt8>, isTyped: Bool) -> Bool {
    utf8.isEmpty || isItself(utf8, isTyped: isTyped)
  }

  /// Whether a non-empty text is read back as itself.
  @inline(__always)
  func isItself(_ utf8: UnsafeBufferPointer<UInt8>, isTyped: Bool) -> Bool {
    let first = utf8[0]
    if first == UInt8(ascii: "{") || first == UInt8(ascii: "[") { return false }
    if utf8.count == nullBytes.count, utf8.elementsEqual(nullBytes) { return false }
    // An error of a spreadsheet is refused in a table.
    if first <= UInt8(ascii: "#") || first == UInt8(ascii: "E"), SpreadsheetError.isError(utf8) {
      return false
    }
    if isTyped { return true }
    switch CellForm(utf8) {
    case .text, .exponent: return !AddressText.isAddress(utf8)
    default: return false
    }
  }

  private mutating func appendREST(_ value: some ReadableValue, to out: inout [UInt8]) throws(WireError) {
    json.removeAll()
    try value.write(to: &json)
    out.append(contentsOf: json.bytes)
  }

  /// Appends an array: as literals where JSON is unambiguous, otherwise (also for integers beyond 2^53) as REST JSON.
  private mutating func appendArray(
    _ elements: some ReadableElements,
    to out: inout [UInt8]
  ) throws(WireError) {
    json.removeAll()
    json.open("[")
    var iterator = elements.makeIterator()
    while let value = iterator.next() {
      switch try value.view() {
      case .null: json.null()
      case .boolean(let truth): json.boolean(truth)
      case .integer(let number) where number.magnitude <= 1 << 53: json.integer(number)
      case .double(let number) where number.isFinite: json.double(number)
      case .string(let text): text.withBytes { json.string($0) }
      default: try value.write(to: &json)
      }
    }
    json.close("]")
    out.append(contentsOf: json.bytes)
  }

  /// Appends a timestamp as RFC 3339 in the time zone.
  ///
  /// UTC is used if RFC 3339 cannot represent the local time (an offset with seconds, year 0 or 10000).
  func append(_ moment: Timestamp, to out: inout [UInt8]) {
    guard let offset = timeZone?.offset(at: moment.seconds), offset % 60 == 0,
      let local = Timestamp(seconds: moment.seconds + Int64(offset), nanoseconds: moment.nanoseconds)
    else { return moment.append(to: &out) }
    local.append(to: &out)
    out.removeLast()
    let minutes = abs(offset) / 60
    out.append(UInt8(ascii: offset < 0 ? "-" : "+"))
    out.append(UInt8(ascii: "0") + UInt8(minutes / 600))
    out.append(UInt8(ascii: "0") + UInt8(minutes / 60 % 10))
    out.append(UInt8(ascii: ":"))
    out.append(UInt8(ascii: "0") + UInt8(minutes % 60 / 10))
    out.append(UInt8(ascii: "0") + UInt8(minutes % 10))
  }
}
