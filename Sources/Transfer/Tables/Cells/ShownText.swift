/// Formats values as people expect to see them, without their types.
///
/// An integer phone number is `5512345678`, a reference `users/u1`, a map `{"city":"Oaxaca"}`. Such a text does not show
/// its type: a workbook also keeps the exact value (``ExactValues``), plain CSV does not.
struct ShownText: Sendable {
  /// The rules whose null text, time zone and treatment of formulas apply here, too.
  private let rules: CellText
  /// Whether the decimal separator of doubles is a comma.
  private let usesDecimalComma: Bool
  private var scratch: [UInt8] = []

  init(like rules: CellText, usesDecimalComma: Bool = false) {
    (self.rules, self.usesDecimalComma) = (rules, usesDecimalComma)
  }

  mutating func append(_ value: Value, to out: inout [UInt8]) {
    switch value {
    case .null: out.append(contentsOf: rules.nullBytes)
    case .boolean(let truth): out.append(contentsOf: (truth ? "true" : "false").utf8)
    case .integer(let number): CellForm.append(number, to: &out)
    case .double(let number):
      let start = out.count
      Self.append(number, to: &out)
      guard usesDecimalComma, let point = out[start...].firstIndex(of: UInt8(ascii: ".")) else { return }
      out[point] = UInt8(ascii: ",")
    case .timestamp(let moment): append(moment, to: &out)
    case .string, .bytes, .reference, .geoPoint:
      scratch.removeAll(keepingCapacity: true)
      appendWords(value, to: &scratch)
      if rules.neutralisesFormulas, CellForm.isFormula(scratch) { out.append(UInt8(ascii: "'")) }
      out.append(contentsOf: scratch)
    case .array, .map:
      let json = JSONWriter.bytes { json in
        PlainJSONWriter.write(value, to: &json) { text(of: $0) }
      }
      out.append(contentsOf: json)
    }
  }

  /// Appends a value that is shown as text.
  private func appendWords(_ value: Value, to out: inout [UInt8]) {
    switch value {
    case .string(let text): out.append(contentsOf: text.utf8)
    case .bytes(let bytes): Base64.append(bytes, to: &out)
    case .reference(let name):
      // Nearly every reference is into the same project and database.
      out.append(contentsOf: (DatabaseName.split(name)?.path.string ?? name).utf8)
    case .geoPoint(let point):
      Self.append(point.latitude, to: &out)
      out.append(contentsOf: ", ".utf8)
      Self.append(point.longitude, to: &out)
    default: break
    }
  }

  /// Appends the shortest digits that represent a double, as a spreadsheet shows it: `499`, not `499.0`.
  static func append(_ number: Double, to out: inout [UInt8]) {
    if number.magnitude < 1e15, let whole = Int64(exactly: number), whole != 0 || number.sign == .plus {
      return CellForm.append(whole, to: &out)
    }
    CellForm.append(number, to: &out)
    if out.suffix(2).elementsEqual(".0".utf8) { out.removeLast(2) }
  }

  // MARK: Times

  /// Appends a local time, `2026-12-31 18:30:00`; RFC 3339 if the local time would be ambiguous.
  private func append(_ moment: Timestamp, to out: inout [UInt8]) {
    let local = rules.timeZone.map { $0.unambiguousTime(of: moment) } ?? moment.seconds
    guard let local, let shown = Timestamp(seconds: local, nanoseconds: moment.nanoseconds) else {
      return moment.append(to: &out)
    }
    let start = out.count
    shown.append(to: &out)
    // RFC 3339 has a T after the ten characters of the date, and the zone at the end.
    out[start + 10] = UInt8(ascii: " ")
    out.removeLast()
  }

  // MARK: JSON

  /// Returns the text that represents a value in JSON; nil if JSON can represent the value itself.
  private func text(of value: Value) -> String? {
    var text: [UInt8] = []
    switch value {
    case .timestamp(let moment): append(moment, to: &text)
    case .bytes, .reference, .geoPoint: appendWords(value, to: &text)
    case .null, .boolean, .integer, .double, .string, .array, .map: return nil
    }
    return String(decoding: text, as: UTF8.self)
  }
}
