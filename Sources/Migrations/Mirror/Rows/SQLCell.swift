package import Tables

/// The content of a cell in a mirror's table.
///
/// A value of its column's type is a plain SQL value: text, a number, 0 or 1, a UTC time such as `2026-01-31T18:00:00.000000Z`
/// (with all its digits if it has more than six). An integer in a column of doubles is also a number. Any other value is REST
/// JSON, `{"integerValue":"7"}`, as in a CSV; arrays are JSON as there. A missing field and null are NULL.
package enum SQLCell: Sendable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  /// A blob, or text that is not UTF-8: not a value of a document.
  case unreadable
}

extension SQLCell: Equatable {
  /// Whether both have the same content; texts are compared by bytes.
  package static func == (a: SQLCell, b: SQLCell) -> Bool {
    switch (a, b) {
    case (.null, .null): true
    case (.integer(let x), .integer(let y)): x == y
    case (.real(let x), .real(let y)): x == y
    case (.text(let x), .text(let y)): x.isIdentical(to: y)
    default: false
    }
  }
}

/// Converts values to cells and edited cells to values.
package struct SQLCells {
  private var text: CellText
  private let parser = JSONParser(keepsNumbers: true)
  private var json = JSONWriter()
  private var buffer: [UInt8] = []

  package init() throws(Failure) {
    // Null has no text: it is NULL, like a missing field.
    text = try CellText(nullText: "")
  }

  // MARK: Writing

  /// Returns the cell for a value.
  package mutating func cell(_ value: Value?, as type: Column.ValueType) -> SQLCell {
    guard let value else { return .null }
    switch (value, type) {
    case (.null, _): return .null
    case (.string(let text), .string):
      return text.utf8.first == UInt8(ascii: "{") ? rest(value) : .text(text)
    case (.integer(let number), .integer), (.integer(let number), .any): return .integer(number)
    case (.integer(let number), .double): return .real(Double(number))
    case (.double(let number), .double), (.double(let number), .any):
      return number.isNaN ? rest(value) : .real(number)
    case (.boolean(let truth), .boolean): return .integer(truth ? 1 : 0)
    case (.timestamp(let time), .timestamp): return .text(Self.text(of: time))
    case (.array, .array), (_, .any):
      buffer.removeAll(keepingCapacity: true)
      text.append(value, as: type, to: &buffer)
      return .text(String(decoding: buffer, as: UTF8.self))
    default: return rest(value)
    }
  }

  private mutating func rest(_ value: Value) -> SQLCell {
    json.removeAll()
    json.value(value)
    return .text(String(decoding: json.bytes, as: UTF8.self))
  }

  /// A time with at least six fractional digits, so that texts sort in the order of the times.
  package static func text(of time: Timestamp) -> String {
    var bytes: [UInt8] = []
    time.append(to: &bytes)
    bytes.removeLast()
    let point = bytes.firstIndex(of: UInt8(ascii: "."))
    if point == nil { bytes.append(UInt8(ascii: ".")) }
    let digits = point.map { bytes.count - $0 - 1 } ?? 0
    for _ in 0..<max(0, 6 - digits) { bytes.append(UInt8(ascii: "0")) }
    bytes.append(UInt8(ascii: "Z"))
    return String(decoding: bytes, as: UTF8.self)
  }

  // MARK: Reading

  /// Returns the value of an edited cell; nil if the field is to be missing.
  ///
  /// - Throws: ``CellError``.
  package func value(_ cell: SQLCell, as type: Column.ValueType) throws(CellError) -> Value? {
    switch (cell, type) {
    case (.null, _): return nil
    case (.unreadable, _): throw CellError("it is no text in UTF-8")
    case (.integer(let number), .integer), (.integer(let number), .any): return .integer(number)
    case (.integer(let number), .double): return .double(Double(number))
    case (.integer(let number), .boolean) where number == 0 || number == 1: return .boolean(number == 1)
    case (.integer(let number), .string): return .string(String(number))
    case (.real(let number), .double), (.real(let number), .any): return .double(number)
    case (.real(let number), .integer):
      if let whole = Int64(exactly: number) { return .integer(whole) }
      throw CellError("it is not a whole number")
    case (.text(let text), _): return try value(of: text, as: type)
    case (_, .boolean): throw CellError("it is neither 0 nor 1")
    case (_, .timestamp): throw CellError("it is no time, such as 2026-01-31T18:00:00Z")
    default: throw CellError("it is not \(CellValues.name(of: type))")
    }
  }

  private func value(of text: String, as type: Column.ValueType) throws(CellError) -> Value? {
    if type == .string, text.utf8.first != UInt8(ascii: "{") { return .string(text) }
    if type == .timestamp, let time = Self.time(inSQL: text) { return .timestamp(time) }
    if type == .boolean, text.utf8.first != UInt8(ascii: "{") {
      throw CellError("it is neither 0 nor 1")
    }
    let cells = self.text
    let parser = parser
    return try Array(text.utf8).withUnsafeBufferPointer { utf8 throws(CellError) in
      try cells.value(of: utf8, isQuoted: true, as: type, parser: parser)
    }
  }

  /// Parses a UTC time as written by SQLite's `datetime()`: `2026-01-31 18:00:00`.
  private static func time(inSQL text: String) -> Timestamp? {
    let bytes = Array(text.utf8)
    guard bytes.count >= 19, bytes[10] == UInt8(ascii: " "), let last = bytes.last, (48...57).contains(last)
    else { return nil }
    var normal = bytes
    normal[10] = UInt8(ascii: "T")
    normal.append(UInt8(ascii: "Z"))
    return Timestamp(String(decoding: normal, as: UTF8.self))
  }
}
