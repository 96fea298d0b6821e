package import FirestoreModels
package import GymModels

/// How a value is written as the text of a cell, and (``value(of:isQuoted:as:)``) read back.
///
/// A value of its column's type is plain text: `Ana`, `7`, `10.0`, `true`, `2026-01-31T18:00:00Z`. Anything else is its
/// REST JSON, `{"integerValue":"7"}`. The rules that keep every cell readable in one way only:
///
/// - Missing is an empty cell; an empty text is a quoted empty cell, `""`; null is the token ``nullText``.
/// - A cell that begins with `{` is REST JSON (`{}` is the empty map), one that begins with `[` an array of literals
///   and REST JSON, `["a", 7, 1.5, true, null, {"timestampValue": …}]`; a text that begins with either, or is the token
///   for null, is written as `{"stringValue": …}`.
/// - In a column of no known type a cell tells its type by its form: a whole number without leading zeros is an
///   integer, a number with a point or an exponent a double, and so on for `NaN`, `true`, `FALSE` and RFC 3339; a text
///   of such a form is written as `{"stringValue":"7"}`.
/// - A double always has a point, an exponent, or is `NaN`, `Infinity` or `-Infinity`; it is the shortest text that
///   reads back as the same bits.
package struct CellText: Sendable {
  /// Bytes that stand for null.
  package let nullText: String
  /// The zone of timestamps; UTC where nil.
  package let timeZone: LocalTimeZone?
  /// Whether texts that a spreadsheet would take for a formula get an apostrophe before them.
  package let neutralisesFormulas: Bool

  let nullBytes: [UInt8]
  private var json = JSONWriter()

  /// Makes the rules of a table.
  ///
  /// - Throws: ``Failure`` of kind `usage` for a token that reads as something else.
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
        cause: "it begins with { or [, or holds a control character",
        remedy: "Choose another --null, such as null or \\N."
      )
    }
    if neutralisesFormulas, CellForm.isFormula(bytes[...]) {
      throw Failure(
        .usage,
        "write null as that text",
        cause: "a spreadsheet takes it for a formula",
        remedy: "Choose another --null."
      )
    }
    self.nullText = nullText
    self.timeZone = timeZone
    self.neutralisesFormulas = neutralisesFormulas
    nullBytes = bytes
  }

  // MARK: Writing

  /// Appends the text of a value, not yet quoted for any file format; nothing for an empty text.
  package mutating func append(_ value: Value, as type: Column.ValueType, to out: inout [UInt8]) {
    let start = out.count
    switch (value, type) {
    case (.null, _):
      out.append(contentsOf: nullBytes)
      return
    case (.string(let text), .string), (.string(let text), .any):
      appendText(text, isTyped: type == .string, to: &out)
      return
    case (.integer(let number), .integer), (.integer(let number), .any):
      CellForm.append(number, to: &out)
    case (.double(let number), .double), (.double(let number), .any):
      CellForm.append(number, to: &out)
    case (.boolean(let truth), .boolean), (.boolean(let truth), .any):
      out.append(contentsOf: (truth ? "true" : "false").utf8)
    case (.timestamp(let moment), .timestamp), (.timestamp(let moment), .any):
      append(moment, to: &out)
    case (.array(let values), .array), (.array(let values), .any):
      appendArray(values, to: &out)
    case (.map(let fields), _) where fields.isEmpty:
      out.append(contentsOf: "{}".utf8)
    default:
      appendREST(value, to: &out)
      return
    }
    if !nullBytes.isEmpty, out.count - start == nullBytes.count, out[start...].elementsEqual(nullBytes) {
      out.removeSubrange(start...)
      appendREST(value, to: &out)
    }
  }

  private mutating func appendText(_ text: String, isTyped: Bool, to out: inout [UInt8]) {
    var text = text
    let isPlain = text.withUTF8 { utf8 in
      guard let first = utf8.first else { return true }
      if first == UInt8(ascii: "{") || first == UInt8(ascii: "[") { return false }
      if utf8.count == nullBytes.count, utf8.elementsEqual(nullBytes) { return false }
      if !isTyped, CellForm(utf8) != .text { return false }
      if neutralisesFormulas, CellForm.isFormula(utf8[...]) { out.append(UInt8(ascii: "'")) }
      out.append(contentsOf: utf8)
      return true
    }
    if !isPlain { appendREST(.string(text), to: &out) }
  }

  private mutating func appendREST(_ value: Value, to out: inout [UInt8]) {
    json.removeAll()
    json.value(value)
    out.append(contentsOf: json.bytes)
  }

  /// Literals where JSON has them for certain; numbers beyond 2^53 and all other types as REST JSON.
  private mutating func appendArray(_ values: [Value], to out: inout [UInt8]) {
    json.removeAll()
    json.array { list in
      for value in values {
        switch value {
        case .null: list.null()
        case .boolean(let truth): list.boolean(truth)
        case .integer(let number) where number.magnitude <= 1 << 53: list.integer(number)
        case .double(let number) where number.isFinite: list.double(number)
        case .string(let text): list.string(text)
        default: list.value(value)
        }
      }
    }
    out.append(contentsOf: json.bytes)
  }

  /// RFC 3339 in the zone, in UTC where the zone's time has no such text (an offset with seconds, a year 0 or 10000).
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
