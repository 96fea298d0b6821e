import Files
import Testing

@testable import Transfer

@Suite("Numbers that get other digits") struct MaskedNumbersTests {
  private let text = MaskedText(key: MaskKey(String(repeating: "k", count: 40)))

  @Test(
    "Integers that differ stay so, keep their sign and their length, and none stays itself.",
    arguments: [
      -999...999, 99_990...100_010, 999_999_990...1_000_000_010, Int64.min...(.min + 20),
      (.max - 20)...Int64.max, 999_999_999_999_999_990...1_000_000_000_000_000_010,
    ]
  )
  func integers(_ numbers: ClosedRange<Int64>) {
    let masked = numbers.map { text.number($0) }
    #expect(Set(masked).count == numbers.count)
    for (number, masked) in zip(numbers, masked) {
      #expect(masked != number && "\(masked)".count == "\(number)".count && (masked < 0) == (number < 0))
    }
  }

  @Test("Doubles that differ stay so, none stays itself, and one that is whole is masked as an integer.")
  func doubles() {
    var numbers = (-2000...2000).map { Double($0) / 4 } + (1...99).map { Double($0) / 100 }
    numbers += (1...50).map { Double($0) / 7 } + (1...50).map { Double($0) / 7e20 }
    numbers += (11...50).map { Double($0) * 1e29 } + [1250.75, 1250.5, 1e22, 0x1p63, 0.000_012_5]
    let distinct = Set(numbers)
    let masked = distinct.map { text.number($0) }
    #expect(Set(masked).count == distinct.count)
    for (number, masked) in zip(distinct, masked) {
      #expect(masked != number && masked.isFinite && (masked < 0) == (number < 0), "\(number)")
      #expect((Int64(exactly: masked) == nil) == (Int64(exactly: number) == nil), "\(number)")
    }
    #expect(text.number(525_550_831_234.0) == Double(text.number(525_550_831_234 as Int64)))
  }

  @Test(
    "What has no digits to change ends, too.",
    arguments: [Double.infinity, -.infinity, .leastNonzeroMagnitude, 1e308]
  )
  func extremes(_ number: Double) {
    #expect(text.number(number) == number)
    #expect(text.number(Double.nan).isNaN)
  }

  @Test("A number at an end of its type stays finite when a percentage changes it, and does not stay itself.")
  func largest() {
    for number in 0..<50 {
      let seed = Array("c/\(number)".utf8)
      for value in [Double.greatestFiniteMagnitude, -.greatestFiniteMagnitude] {
        let changed = text.number(value, percent: 300, seed: seed)
        #expect(changed.isFinite && changed != value)
      }
      for value in [Int64.max, .min] { #expect(text.number(value, percent: 20, seed: seed) != value) }
    }
  }
}
