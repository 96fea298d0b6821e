package import Schema

/// A cell that does not match its column; the reason does not contain its data.
package struct CellError: Error, Sendable, Equatable, CustomStringConvertible {
  package let reason: String
  /// The path of the member that occurs twice in JSON, if that is the reason.
  package let repetition: String?

  package init(_ reason: String, _ defect: WireError? = nil) {
    self.reason = defect.map { "\(reason): \($0)" } ?? reason
    repetition = defect.flatMap { $0.isRepetition ? $0.location.joined(separator: ".") : nil }
  }

  package var description: String { reason }
}

extension CellText {
  /// Parses the text of a cell; nil for a missing value.
  ///
  /// Numbers and dates are also accepted as spreadsheets save them: `10` in a column of doubles, `12.0` in one of integers,
  /// `TRUE`, any UTC offset.
  ///
  /// - Parameters:
  ///   - text: The text, without the quotes of the file format.
  ///   - isQuoted: Whether it was quoted, which distinguishes an empty text from a missing value.
  package func value(
    of text: UnsafeBufferPointer<UInt8>,
    isQuoted: Bool,
    as type: Column.ValueType,
    parser: JSONParser
  ) throws(CellError) -> Value? {
    // If the null text is empty, null and missing values look the same; both are read as missing, which changes nothing.
    guard let first = text.first else { return isQuoted ? .string("") : nil }
    if text.elementsEqual(nullBytes) { return .null }
    if first == UInt8(ascii: "{") { return try rest(text, parser) }
    if first == UInt8(ascii: "[") { return try array(text, parser) }
    switch type {
    case .string: return .string(Self.string(text, stripping: neutralisesFormulas))
    case .integer:
      switch CellForm(text) {
      case .integer:
        if let number = Int64(Self.string(text)) { return .integer(number) }
      case .double, .exponent:
        if let number = Int64(wholeDecimal: text) { return .integer(number) }
      default: break
      }
      throw CellError("it is not a whole number")
    case .double:
      if text.elementsEqual("NaN".utf8) { return .double(.nan) }
      if CellForm.isNumber(text), let number = Double(keepingDigits: text) { return .double(number) }
      throw CellError("it is not a number")
    case .boolean:
      guard let truth = CellForm.boolean(text) else { throw CellError("it is neither true nor false") }
      return .boolean(truth)
    case .timestamp:
      guard let moment = Timestamp(rfc3339: text) else {
        throw CellError("it is not an RFC 3339 time with its zone")
      }
      return .timestamp(moment)
    case .array: throw CellError("it is not a JSON array")
    case .reference, .geopoint, .bytes: throw CellError("it is not REST JSON of a \(type.rawValue)")
    case .any:
      let plain = Self.string(text)
      switch CellForm(text) {
      case .text, .exponent: return .string(Self.string(text, stripping: neutralisesFormulas))
      case .integer: return Int64(plain).map { .integer($0) } ?? .string(plain)
      case .double: return Double(plain).map { .double($0.isNaN ? .nan : $0) } ?? .string(plain)
      case .boolean: return .boolean(CellForm.boolean(text) ?? false)
      case .timestamp: return Timestamp(rfc3339: text).map { .timestamp($0) } ?? .string(plain)
      }
    }
  }

  private static func string(_ text: UnsafeBufferPointer<UInt8>, stripping: Bool = false) -> String {
    String(decoding: stripping ? CellForm.unguarded(text) : text, as: UTF8.self)
  }

  private func rest(_ text: UnsafeBufferPointer<UInt8>, _ parser: JSONParser) throws(CellError) -> Value {
    do throws(WireError) {
      return try parser.parse(UnsafeRawBufferPointer(text)) { json throws(WireError) in
        if json.kind == .object, json.members.isAtEnd { return .map(FieldMap()) }
        var decoder = WireDecoder(unknownMembers: .refused)
        return try decoder.value(json)
      }
    } catch {
      throw CellError("it begins with { and is not REST JSON", error)
    }
  }

  private func array(_ text: UnsafeBufferPointer<UInt8>, _ parser: JSONParser) throws(CellError) -> Value {
    do throws(WireError) {
      return try parser.parse(UnsafeRawBufferPointer(text)) { json throws(WireError) in
        guard json.kind == .array else { throw WireError("it is not an array") }
        var decoder = WireDecoder(unknownMembers: .refused)
        var values: [Value] = []
        for element in json.elements {
          switch element.kind {
          case .null: values.append(.null)
          case .boolean: values.append(.boolean(element.boolean ?? false))
          case .string: values.append(.string(element.string ?? ""))
          case .double: values.append(.double(element.double ?? 0))
          case .integer:
            guard let number = element.integer else { throw WireError("a number does not fit 64 bits") }
            values.append(.integer(number))
          case .object, .array: values.append(try decoder.value(element))
          }
        }
        return .array(values)
      }
    } catch {
      throw CellError("it begins with [ and is not a JSON array", error)
    }
  }
}
