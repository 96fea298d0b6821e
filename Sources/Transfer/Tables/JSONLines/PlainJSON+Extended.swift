import Schema

/// MongoDB's extended JSON, as mongoexport writes it: `{"$date": "2026-01-31T12:00:00Z"}`, `{"$numberLong": "7"}`.
extension PlainJSON {
  /// Returns the ID in such an object, an `$oid` or a whole number; nil for any other value.
  package static func id(_ json: JSONCursor) throws(WireError) -> String? {
    try extended(json, as: .string)?.value?.string
  }

  /// Returns the member that identifies such an object, with its value, or nil for any other value.
  ///
  /// The value is nil if it has no counterpart.
  static func extended(
    _ json: JSONCursor,
    as type: Column.ValueType
  ) throws(WireError) -> (form: String, value: Value?)? {
    var members = json.members
    guard let (name, content) = members.next(), name.utf8.first == UInt8(ascii: "$") else { return nil }
    // Earlier versions write the type of bytes beside them.
    guard members.next() == nil || name == "$binary" && json["$type"] != nil else { return nil }
    let form = name.string
    let found: Value?
    switch form {
    case "$oid": found = content.string.map { .string($0) }
    case "$date": found = moment(content).map { .timestamp($0) }
    case "$numberInt", "$numberLong":
      found = content.string.flatMap { Int64($0) }.map { integer($0, as: type) }
    case "$numberDouble":
      found = content.string.flatMap { double($0) ?? Double(keepingDigits: $0.utf8) }.map { .double($0) }
    case "$numberDecimal":
      let number = content.string.flatMap { Double(keepingDigits: $0.utf8) }
      found = number.flatMap { $0.isFinite ? Value.double($0) : nil }
    case "$binary":
      found = (content.string ?? content["base64"]?.string).flatMap { Base64.decode($0) }.map { .bytes($0) }
    default: return (form, nil)
    }
    if found == nil { throw WireError("it is no \(form), as its member says") }
    return (form, found)
  }

  /// Returns the member that identifies an object as a value of another program; nil for any other object.
  static func foreignForm(_ json: JSONCursor) -> String? {
    if let (form, value) = try? extended(json, as: .any) { return value == nil ? nil : form }
    if datatype(json) != nil { return "__datatype__" }
    if json["_firestore"] != nil, json.reference != nil { return "_path" }
    guard let value = try? marked(json, as: .any) else { return nil }
    return value.timestamp == nil ? "_latitude" : "_seconds"
  }

  private static func integer(_ number: Int64, as type: Column.ValueType) -> Value {
    switch type {
    case .string: .string(String(number))
    case .double: Double(exactly: number).map { Value.double($0) } ?? .integer(number)
    default: .integer(number)
    }
  }

  /// Parses a time, as text or in milliseconds since 1970.
  private static func moment(_ json: JSONCursor) -> Timestamp? {
    if let text = json.string { return Timestamp(text) }
    guard let number = json.integer ?? json["$numberLong"]?.string.flatMap({ Int64($0) }) else { return nil }
    var (seconds, rest) = number.quotientAndRemainder(dividingBy: 1000)
    if rest < 0 { (seconds, rest) = (seconds - 1, rest + 1000) }
    return Timestamp(seconds: seconds, nanoseconds: Int32(clamping: rest) * 1_000_000)
  }
}
