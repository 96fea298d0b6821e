import FirestoreModels
import Foundation
import TestSupport
import Testing

@Suite("Whole numbers with a point or an exponent")
struct WholeNumberTests {
  @Test(arguments: [
    ("12.0", 12), ("-12.00", -12), ("1.5e1", 15), ("1500e-2", 15), ("0.0", 0), ("-0.0", 0), ("0e99999", 0),
    ("9007199254740993.0", 9_007_199_254_740_993), ("9007199254740993e0", 9_007_199_254_740_993),
    ("9223372036854775807.0", .max), ("-9223372036854775808.0", .min), ("0.9223372036854775807e19", .max),
    ("1E3", 1000), ("1e+3", 1000),
  ])
  func exact(text: String, number: Int64) {
    #expect(Int64(wholeDecimal: text.utf8) == number)
  }

  @Test(arguments: [
    "0.99999999999999999999", "1.5", "15e-1", "9223372036854775808.0", "-9223372036854775809.0", "1e19",
    "1e400", "1e-400", "NaN", "Infinity", "-Infinity", "x", "", "-", "7x", "1-2",
    "1e99999999999999999999", "0.1",
  ])
  func noWholeNumberOf64Bits(text: String) {
    #expect(Int64(wholeDecimal: text.utf8) == nil)
  }

  @Test(
    "A number is a double where it keeps the digits before its decimals, or has an exponent, where it is rounded.",
    arguments: [
      ("9007199254740991", true), ("9007199254740992", true), ("9007199254740993", false),
      ("-9007199254740993", false), ("12345678901234567", false), ("1152921504606846976", true),
      ("1152921504606847000", true), ("1152921504606847001", false), ("10000000000000000000000", true),
      ("1180591620717411303424", true), ("123456789012345678901234567890", false), ("-0", true),
      ("9007199254740993.0", false), ("9007199254740992.00", true), ("-9007199254740993.5", false),
      ("10000000000000000000000.000", true), ("1180591620717411303424.0", true),
      ("9007199254740991.25", true),
      ("9007199254740993e0", true), ("0.1", true), ("1e22", true), ("1152921504606847000.0", true),
    ]
  )
  func doubles(text: String, isHeld: Bool) {
    #expect(Double(keepingDigits: text.utf8) == (isHeld ? Double(text) : nil), "\(text)")
  }

  @Test("As decimal arithmetic says, for random digits, points and exponents")
  func random() throws {
    var random = SplitMix64(seed: 5)
    for _ in 0..<20_000 {
      var digits = String(
        (0..<Int.random(in: 1...20, using: &random)).map { _ in
          "0123456789".randomElement(using: &random) ?? "0"
        }
      )
      while digits.hasPrefix("0"), digits.count > 1 { digits.removeFirst() }
      var text = (Bool.random(using: &random) ? "-" : "") + digits
      if Bool.random(using: &random) {
        text +=
          "."
          + String(
            repeating: Bool.random(using: &random) ? "0" : "5",
            count: .random(in: 1...3, using: &random)
          )
      }
      if Bool.random(using: &random) { text += "e\(Int.random(in: -4...4, using: &random))" }
      let decimal = try #require(Decimal(string: text, locale: Locale(identifier: "en_US_POSIX")))
      var (given, rounded) = (decimal, Decimal())
      NSDecimalRound(&rounded, &given, 0, .plain)
      let isInt64 = rounded == decimal && decimal >= Decimal(Int64.min) && decimal <= Decimal(Int64.max)
      #expect(Int64(wholeDecimal: text.utf8) == (isInt64 ? Int64(rounded.description) : nil), "\(text)")
    }
  }
}
