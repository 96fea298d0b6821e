/// Writes values as literals, each time in another of the spellings that the language allows.
struct ReferenceLiteralWriter: Sendable {
  /// The start of a day in the time zone of date-only timestamps, in seconds since 1970.
  let startOfDay: @Sendable (ReferenceDay) -> Int64

  /// A random spelling of a value, or nil if it has none.
  func text(_ value: ReferenceDatum, using random: inout ReferenceRandom) -> String? {
    switch value {
    case .null:
      return "null"
    case .boolean(let flag):
      return flag ? "true" : "false"
    case .integer(let number):
      return String(number)
    case .double(let number):
      return number.isFinite ? double(number, using: &random) : nil
    case .timestamp(let seconds, let nanoseconds):
      return timestamp(seconds, nanoseconds, using: &random)
    case .string(let bytes):
      let text = String(decoding: bytes, as: UTF8.self)
      return ReferenceBareWord.isText(text) && random.percent(60) ? text : quoted(text, using: &random)
    case .reference(let path):
      return reference(path, using: &random)
    case .bytes, .geoPoint, .array, .vector, .map:
      return nil
    }
  }

  /// A random spelling of a path as an operand of `__name__`.
  func name(_ path: [[UInt8]], using random: inout ReferenceRandom) -> String {
    let text = Self.joined(path)
    switch random.below(3) {
    case 0 where ReferenceBareWord.isPath(text): return text
    case 1: return reference(path, using: &random) ?? quoted(text, using: &random)
    default: return quoted(text, using: &random)
    }
  }

  private func reference(_ path: [[UInt8]], using random: inout ReferenceRandom) -> String? {
    let text = Self.joined(path)
    guard ReferenceBareWord.isPath(text) else {
      return nil
    }
    let root = "projects/\(FilterGenerator.project)/databases/\(FilterGenerator.database)/documents/"
    return "ref(\(random.percent(40) ? root : "")\(text))"
  }

  private static func joined(_ path: [[UInt8]]) -> String {
    path.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "/")
  }

  /// A text as JSON writes it, with more escapes than it needs.
  private func quoted(_ text: String, using random: inout ReferenceRandom) -> String {
    let generous = random.percent(15)
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"" where !random.percent(20): result += "\\\""
      case "\\" where !random.percent(20): result += "\\\\"
      case "\n" where random.percent(70): result += "\\n"
      case "\t" where random.percent(70): result += "\\t"
      case "/" where random.percent(10): result += "\\/"
      case _ where scalar.value < 0x20 || scalar == "\"" || scalar == "\\" || generous && random.percent(60):
        for unit in String(scalar).utf16 {
          result += "\\u" + Self.hexadecimal(unit, uppercase: random.percent(50))
        }
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }

  private static func hexadecimal(_ unit: UInt16, uppercase: Bool) -> String {
    let digits = String(unit, radix: 16, uppercase: uppercase)
    return String(repeating: "0", count: 4 - digits.utf8.count) + digits
  }

  /// A double as JSON writes a number that is no plain integer; `-0` is one of the spellings of -0.0.
  private func double(_ number: Double, using random: inout ReferenceRandom) -> String {
    let sign = number.sign == .minus ? "-" : ""
    guard number != 0 else {
      let zeros = ["0.0", "0.00", "0e0", "0E+5", "0.0e-3", "0e00"] + (sign.isEmpty ? [] : ["0", "0"])
      return sign + random.pick(zeros)
    }
    let (digits, exponent) = Self.decimal(number.magnitude)
    switch random.below(5) {
    case 0 where digits.count > 1:
      let point = random.among(1...digits.count - 1)
      let fraction = String(digits.dropFirst(point))
      return sign + digits.prefix(point) + "." + fraction + power(exponent + fraction.count, using: &random)
    case 1:
      return sign + "0." + digits + power(exponent + digits.count, using: &random)
    case 2:
      let zeros = random.below(3)
      return sign + digits + String(repeating: "0", count: zeros) + power(exponent - zeros, using: &random)
    case 3 where (0...25).contains(exponent):
      let zeros = String(repeating: "0", count: random.among(1...3))
      return sign + digits + String(repeating: "0", count: exponent) + "." + zeros
    default:
      return number.description
    }
  }

  private func power(_ exponent: Int, using random: inout ReferenceRandom) -> String {
    let sign = exponent < 0 ? "-" : random.percent(30) ? "+" : ""
    let zero = random.percent(10) ? "0" : ""
    return (random.percent(70) ? "e" : "E") + sign + zero + String(exponent.magnitude)
  }

  /// The digits of a positive double's shortest decimal form, without zeros at either end, and the power of
  /// ten that they are to be multiplied by.
  private static func decimal(_ number: Double) -> (digits: String, exponent: Int) {
    let parts = number.description.split(separator: "e")
    let mantissa = parts[0].split(separator: ".")
    let fraction = mantissa.count > 1 ? mantissa[1] : ""
    var exponent = (parts.count > 1 ? Int(parts[1]) ?? 0 : 0) - fraction.count
    var digits = String((mantissa[0] + fraction).drop { $0 == "0" })
    while digits.last == "0" {
      digits.removeLast()
      exponent += 1
    }
    return (digits, exponent)
  }

  /// A timestamp of whole microseconds: with any offset, with zeros after the last digit, or as a day alone.
  private func timestamp(
    _ seconds: Int64,
    _ nanoseconds: Int32,
    using random: inout ReferenceRandom
  ) -> String {
    if nanoseconds == 0 && random.percent(60), let day = dayStarting(at: seconds) {
      return "ts(\(day.text))"
    }
    let offsets = [0, 0, -360, -300, 60, 330, 345, -210, 720, 840, -720, random.among(-840...840)]
    var offset = random.pick(offsets)
    var days = Self.floored(seconds + Int64(offset) * 60)
    if !(1...9_999).contains(ReferenceDay(daysSince1970: days.quotient).year) {
      offset = 0
      days = Self.floored(seconds)
    }
    let clock = [days.remainder / 3_600, days.remainder / 60 % 60, days.remainder % 60]
    let time = clock.map { ReferenceDay.padded(Int($0), 2) }.joined(separator: ":")
    var fraction = ReferenceDay.padded(Int(nanoseconds), 9)
    let needed = fraction.utf8.count - fraction.utf8.reversed().prefix { $0 == UInt8(ascii: "0") }.count
    fraction = String(fraction.prefix(random.percent(60) ? needed : random.among(needed...9)))
    let day = ReferenceDay(daysSince1970: days.quotient).text
    return "ts(\(day)T\(time)\(fraction.isEmpty ? "" : ".")\(fraction)\(zone(offset, using: &random)))"
  }

  private func zone(_ minutes: Int, using random: inout ReferenceRandom) -> String {
    if minutes == 0 && random.percent(80) {
      return "Z"
    }
    let size = Int(minutes.magnitude)
    let clock = "\(ReferenceDay.padded(size / 60, 2)):\(ReferenceDay.padded(size % 60, 2))"
    return (minutes < 0 ? "-" : "+") + clock
  }

  /// The day that starts at this moment in the time zone of date-only timestamps, if one does.
  private func dayStarting(at seconds: Int64) -> ReferenceDay? {
    let days = Self.floored(seconds).quotient
    return (days - 1...days + 1).map { ReferenceDay(daysSince1970: $0) }.first { day in
      (1...9_999).contains(day.year) && startOfDay(day) == seconds
    }
  }

  private static func floored(_ seconds: Int64) -> (quotient: Int64, remainder: Int64) {
    let remainder = ((seconds % 86_400) + 86_400) % 86_400
    return ((seconds - remainder) / 86_400, remainder)
  }
}
