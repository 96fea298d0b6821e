import FirestoreModels
import Testing

@testable import MigrationEngine

/// A value, what it is to become, and what it becomes; nil where it cannot.
struct ConversionCase: Sendable, CustomTestStringConvertible {
  var value: Value
  var target: ValueConversion.Target
  var unit: ValueConversion.TimeUnit?
  var result: Value?
  var reason = ""

  init(
    _ value: Value,
    _ target: ValueConversion.Target,
    _ result: Value?,
    _ reason: String = "",
    unit: ValueConversion.TimeUnit? = nil
  ) {
    (self.value, self.target, self.unit, self.result, self.reason) = (value, target, unit, result, reason)
  }

  var testDescription: String { "\(value) to \(target.rawValue)" }
}

@Suite struct ValueConversionTests {
  private static func moment(_ text: String) -> Value { Timestamp(text).map { .timestamp($0) } ?? .null }

  static let texts: [ConversionCase] = [
    ConversionCase(.string("007"), .string, .string("007")),
    ConversionCase(.integer(7_299_595_662), .string, .string("7299595662")),
    ConversionCase(.integer(.min), .string, .string("-9223372036854775808")),
    ConversionCase(.double(7_299_595_662), .string, .string("7299595662")),
    ConversionCase(.double(-2.5), .string, .string("-2.5")),
    // 2^53, the last whole number of which every digit counts, and the double after it.
    ConversionCase(.double(9_007_199_254_740_992), .string, .string("9007199254740992")),
    ConversionCase(.double(1e300), .string, .string("1e+300")),
    ConversionCase(.double(.nan), .string, nil, "finite"),
    ConversionCase(.double(-.infinity), .string, nil, "finite"),
    ConversionCase(.boolean(true), .string, .string("true")),
    ConversionCase(moment("2026-01-31T06:00:00.5Z"), .string, .string("2026-01-31T06:00:00.500Z")),
    ConversionCase(.bytes([1]), .string, nil, "bytes has no string"),
    ConversionCase(.array([]), .string, nil, "array has no string"),
    ConversionCase(.map(["a": .integer(1)]), .string, nil, "map has no string"),
  ]

  static let integers: [ConversionCase] = [
    ConversionCase(.integer(5), .integer, .integer(5)),
    ConversionCase(.string("0"), .integer, .integer(0)),
    ConversionCase(.string("-12"), .integer, .integer(-12)),
    ConversionCase(.string("9223372036854775807"), .integer, .integer(.max)),
    ConversionCase(.string("-9223372036854775808"), .integer, .integer(.min)),
    ConversionCase(.string("9223372036854775808"), .integer, nil, "range"),
    ConversionCase(.string("-9223372036854775809"), .integer, nil, "range"),
    ConversionCase(.string("007"), .integer, nil, "leading zeros"),
    ConversionCase(.string("00"), .integer, nil, "leading zeros"),
    ConversionCase(.string("-0"), .integer, nil, "sign"),
    ConversionCase(.double(-0.0), .integer, nil, "sign"),
    ConversionCase(.double(-0.0), .string, .string("-0")),
    ConversionCase(.double(-0.0), .boolean, nil, "sign"),
    ConversionCase(.double(0), .string, .string("0")),
    ConversionCase(.string("+5"), .integer, nil, "whole number"),
    ConversionCase(.string(" 5"), .integer, nil, "whole number"),
    ConversionCase(.string("5.0"), .integer, nil, "whole number"),
    ConversionCase(.string("٣"), .integer, nil, "whole number"),
    ConversionCase(.string("-"), .integer, nil, "whole number"),
    ConversionCase(.double(3), .integer, .integer(3)),
    ConversionCase(.double(3.5), .integer, nil, "whole number"),
    ConversionCase(.double(.nan), .integer, nil, "whole number"),
    // -2^63 is an integer; 2^63 is one too many.
    ConversionCase(.double(-0x1p63), .integer, .integer(.min)),
    ConversionCase(.double(0x1p63), .integer, nil, "range"),
    ConversionCase(.double(.infinity), .integer, nil, "range"),
    ConversionCase(.boolean(true), .integer, .integer(1)),
    ConversionCase(.boolean(false), .integer, .integer(0)),
    ConversionCase(moment("1970-01-01T00:00:01.5Z"), .integer, .integer(1500), unit: .milliseconds),
    ConversionCase(moment("1969-12-31T23:59:59.5Z"), .integer, .integer(-500), unit: .milliseconds),
    ConversionCase(moment("1970-01-01T00:00:01.5Z"), .integer, nil, "seconds would be lost", unit: .seconds),
    ConversionCase(moment("1970-01-01T00:00:01Z"), .integer, nil, "unit"),
    ConversionCase(.reference("r"), .integer, nil, "reference has no integer"),
  ]

  static let others: [ConversionCase] = [
    ConversionCase(.integer(5), .double, .double(5)),
    ConversionCase(.integer(9_007_199_254_740_992), .double, .double(9_007_199_254_740_992)),
    ConversionCase(.integer(9_007_199_254_740_993), .double, nil, "last digits"),
    ConversionCase(.string("450"), .double, .double(450)),
    ConversionCase(.string("450.50"), .double, .double(450.5)),
    ConversionCase(.string("-1e3"), .double, .double(-1000)),
    ConversionCase(.string("007.5"), .double, nil, "number"),
    ConversionCase(.string("007"), .double, nil, "leading zeros"),
    ConversionCase(.string("9007199254740993"), .double, nil, "last digits"),
    ConversionCase(.string("9007199254740993.0"), .double, nil, "last digits"),
    ConversionCase(.string("1234567890123456789.5"), .double, nil, "last digits"),
    ConversionCase(.string("0.10"), .double, .double(0.1)),
    ConversionCase(.string("-0.0"), .double, .double(-0.0)),
    ConversionCase(.string("5e-324"), .double, .double(.leastNonzeroMagnitude)),
    ConversionCase(.string("1e999"), .double, nil, "number"),
    ConversionCase(.string("450 pesos"), .double, nil, "number"),
    ConversionCase(.string("NaN"), .double, nil, "number"),
    ConversionCase(.string("true"), .double, nil, "number"),
    ConversionCase(.boolean(true), .double, .double(1)),
    ConversionCase(moment("1970-01-01T00:01:00Z"), .double, .double(60), unit: .seconds),
    ConversionCase(.string("true"), .boolean, .boolean(true)),
    ConversionCase(.string("false"), .boolean, .boolean(false)),
    ConversionCase(.string("True"), .boolean, nil, "neither true nor false"),
    ConversionCase(.string("si"), .boolean, nil, "neither true nor false"),
    ConversionCase(.integer(1), .boolean, .boolean(true)),
    ConversionCase(.double(0), .boolean, .boolean(false)),
    ConversionCase(.integer(2), .boolean, nil, "neither 0 nor 1"),
    ConversionCase(.double(.nan), .boolean, nil, "neither 0 nor 1"),
    ConversionCase(moment("1970-01-01T00:00:01Z"), .boolean, nil, "timestamp has no boolean"),
    ConversionCase(.string("2026-01-31T00:00:00-06:00"), .timestamp, moment("2026-01-31T06:00:00Z")),
    // The service keeps microseconds.
    ConversionCase(
      .string("2026-01-31T00:00:00.1234567Z"),
      .timestamp,
      moment("2026-01-31T00:00:00.123456Z")
    ),
    ConversionCase(.string("2026-01-31"), .timestamp, nil, "zone"),
    ConversionCase(.string("2026-02-30T00:00:00Z"), .timestamp, nil, "zone"),
    ConversionCase(.integer(1500), .timestamp, moment("1970-01-01T00:00:01.5Z"), unit: .milliseconds),
    ConversionCase(.integer(.min), .timestamp, nil, "years 1 to 9999", unit: .microseconds),
    ConversionCase(.integer(.min), .timestamp, nil, "years 1 to 9999", unit: .milliseconds),
    ConversionCase(.integer(.max), .timestamp, nil, "years 1 to 9999", unit: .seconds),
    ConversionCase(.integer(-1), .timestamp, moment("1969-12-31T23:59:59.999999Z"), unit: .microseconds),
    ConversionCase(.double(60), .timestamp, moment("1970-01-01T00:01:00Z"), unit: .seconds),
    ConversionCase(.double(0.5), .timestamp, nil, "whole number", unit: .seconds),
    ConversionCase(.integer(1), .timestamp, nil, "unit"),
    // One second beyond the year 9999, and before the year 1.
    ConversionCase(.integer(253_402_300_800), .timestamp, nil, "years", unit: .seconds),
    ConversionCase(.integer(-62_135_596_801), .timestamp, nil, "years", unit: .seconds),
    ConversionCase(.integer(.max), .timestamp, nil, "years", unit: .seconds),
    ConversionCase(.integer(.min), .timestamp, nil, "years", unit: .seconds),
    ConversionCase(.boolean(true), .timestamp, nil, "boolean has no timestamp"),
  ]

  @Test(arguments: texts + integers + others) func converts(_ example: ConversionCase) throws {
    let conversion = ValueConversion(to: example.target, unit: example.unit)
    guard let result = example.result else {
      let error = #expect(throws: ValueConversion.Impossible.self) { try conversion.converted(example.value) }
      #expect(error?.reason.contains(example.reason) ?? false, "\(error?.reason ?? "")")
      return
    }
    #expect(try conversion.converted(example.value) == result)
    // What has the type already stays, so that applying twice changes nothing the second time.
    #expect(try conversion.converted(result) == result)
  }
}
