/// A conversion of values to another type, which is exact or fails.
///
/// Nothing is rounded, truncated or guessed: `"007"` is not an integer (its zeros would be lost), neither is `1.5`, and `"si"` is
/// not a boolean.
package struct ValueConversion: Sendable, Equatable {
  package enum Target: String, Sendable, CaseIterable {
    case string, integer, double, boolean, timestamp
  }

  /// The unit of a number that is a time since 1970-01-01T00:00:00Z.
  package enum TimeUnit: String, Codable, Sendable, CaseIterable {
    case seconds, milliseconds, microseconds

    fileprivate var perSecond: Int64 {
      switch self {
      case .seconds: 1
      case .milliseconds: 1000
      case .microseconds: 1_000_000
      }
    }

    fileprivate var nanoseconds: Int64 { 1_000_000_000 / perSecond }
  }

  /// Why a value cannot be converted, in a few words without the value.
  package struct Impossible: Error, Equatable {
    /// The reason: "its leading zeros would be lost".
    package let reason: String

    init(_ reason: String) { self.reason = reason }
  }

  package var target: Target
  /// The unit for conversions between numbers and timestamps; if nil, they fail.
  package var unit: TimeUnit?

  package init(to target: Target, unit: TimeUnit? = nil) {
    self.target = target
    self.unit = unit
  }

  /// Returns the value converted to the target type; a value that already has it is unchanged.
  ///
  /// - Throws: ``Impossible``.
  package func converted(_ value: Value) throws(Impossible) -> Value {
    switch target {
    case .string: .string(try text(of: value))
    case .integer: .integer(try integer(of: value))
    case .double: .double(try double(of: value))
    case .boolean: .boolean(try boolean(of: value))
    case .timestamp: .timestamp(try timestamp(of: value))
    }
  }

  private func text(of value: Value) throws(Impossible) -> String {
    switch value {
    case .string(let text): return text
    case .boolean(let truth): return truth ? "true" : "false"
    case .integer(let number): return String(number)
    case .timestamp(let moment): return moment.description
    case .double(let number):
      guard number.isFinite else { throw Impossible("it is not a finite number") }
      if number == 0, number.sign == .minus { return "-0" }
      // A phone number stored as 7299595662.0 is 7299595662; beyond 2^53 the digits may not be the original ones.
      if abs(number) <= 0x1p53, let whole = Int64(exactly: number) { return String(whole) }
      return "\(number)"
    default: throw other(value)
    }
  }

  private func integer(of value: Value) throws(Impossible) -> Int64 {
    switch value {
    case .integer(let number): return number
    case .boolean(let truth): return truth ? 1 : 0
    case .double(let number):
      guard number == number.rounded(.towardZero) else { throw Impossible("it is not a whole number") }
      if number == 0, number.sign == .minus { throw Impossible("its sign would be lost") }
      guard let whole = Int64(exactly: number) else { throw Impossible(Self.outOfRange) }
      return whole
    case .string(let text): return try Self.integer(in: text)
    case .timestamp(let moment):
      let unit = try unitOfTime
      guard Int64(moment.nanoseconds) % unit.nanoseconds == 0 else {
        throw Impossible("its fractions of \(unit.rawValue) would be lost")
      }
      return moment.seconds * unit.perSecond + Int64(moment.nanoseconds) / unit.nanoseconds
    default: throw other(value)
    }
  }

  private func double(of value: Value) throws(Impossible) -> Double {
    switch value {
    case .double(let number): return number
    case .boolean(let truth): return truth ? 1 : 0
    case .integer(let number): return try Self.exactly(number)
    case .timestamp: return try Self.exactly(try integer(of: value))
    case .string(let text):
      if text.utf8.drop(while: { $0 == UInt8(ascii: "-") }).allSatisfy({ (48...57).contains($0) }),
        text != "-0"
      {
        return try Self.exactly(try Self.integer(in: text))
      }
      guard case .double(let number)? = ValueLiteral.number(text), number.isFinite
      else { throw Impossible("it is not written as a number") }
      guard DecimalDigits(text.utf8) == DecimalDigits(number.description.utf8) else {
        throw Impossible("its last digits would be lost")
      }
      return number
    default: throw other(value)
    }
  }

  private func boolean(of value: Value) throws(Impossible) -> Bool {
    switch value {
    case .boolean(let truth): return truth
    case .integer(1): return true
    case .integer(0): return false
    case .integer: throw Impossible("it is neither 0 nor 1")
    case .double(let number) where number == 0 || number == 1:
      return try boolean(of: .integer(try integer(of: value)))
    case .double: throw Impossible("it is neither 0 nor 1")
    case .string(let text):
      if text.isIdentical(to: "true") { return true }
      if text.isIdentical(to: "false") { return false }
      throw Impossible("it is neither true nor false")
    default: throw other(value)
    }
  }

  private func timestamp(of value: Value) throws(Impossible) -> Timestamp {
    switch value {
    case .timestamp(let moment): return moment
    case .string(let text):
      guard let moment = Timestamp(text) else {
        throw Impossible("it is no time with its zone, as 2026-01-31T12:00:00Z")
      }
      return moment.flooredToMicroseconds
    case .integer(let number):
      let unit = try unitOfTime
      let seconds = number.flooredDivision(by: unit.perSecond)
      let rest = number.flooredRemainder(by: unit.perSecond)
      guard let moment = Timestamp(seconds: seconds, nanoseconds: Int32(rest * unit.nanoseconds)) else {
        throw Impossible("it lies outside of the years 1 to 9999")
      }
      return moment
    case .double: return try timestamp(of: .integer(try integer(of: value)))
    default: throw other(value)
    }
  }

  // MARK: Parts

  private static let outOfRange = "it is out of the range of integers"

  private var unitOfTime: TimeUnit {
    get throws(Impossible) {
      guard let unit else { throw Impossible("no unit says what a number counts") }
      return unit
    }
  }

  private static func exactly(_ number: Int64) throws(Impossible) -> Double {
    guard let double = Double(exactly: number) else { throw Impossible("its last digits would be lost") }
    return double
  }

  /// Parses an integer of the form `-?(0|[1-9][0-9]*)`.
  private static func integer(in text: String) throws(Impossible) -> Int64 {
    let digits = text.utf8.first == UInt8(ascii: "-") ? text.utf8.dropFirst() : text.utf8[...]
    guard !digits.isEmpty, digits.allSatisfy({ (48...57).contains($0) }) else {
      throw Impossible("it is not written as a whole number")
    }
    if digits.count > 1, digits.first == UInt8(ascii: "0") {
      throw Impossible("its leading zeros would be lost")
    }
    if text.isIdentical(to: "-0") { throw Impossible("its sign would be lost") }
    guard let number = Int64(text) else { throw Impossible(outOfRange) }
    return number
  }

  private func other(_ value: Value) -> Impossible {
    Impossible("\(value.typeName) has no \(target.rawValue)")
  }
}
