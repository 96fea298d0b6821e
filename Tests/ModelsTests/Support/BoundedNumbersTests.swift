import FirestoreModels
import Testing

@Suite struct BoundedNumbersTests {
  @Test func arithmeticEndsAtTheBounds() {
    #expect(Int64.max.addingClamped(1) == .max && Int64.min.addingClamped(-1) == .min)
    #expect(Int64.min.subtractingClamped(1) == .min && Int64(0).subtractingClamped(.min) == .max)
    #expect(Int.max.multipliedClamped(by: 100) == .max && Int.max.multipliedClamped(by: -2) == .min)
    #expect(2.addingClamped(3) == 5 && 2.subtractingClamped(3) == -1 && 2.multipliedClamped(by: -3) == -6)
  }

  @Test func aCountIsAWholeNumberUpTo2ToThe53() {
    #expect(Int(count: "0") == 0 && Int(count: "9007199254740992") == 9_007_199_254_740_992)
    for text in ["", "-1", "+1", "1.0", "9007199254740993", "9223372036854775807", "9223372036854775808"] {
      #expect(Int(count: text) == nil, "\(text)")
    }
  }

  @Test func aDoubleOfAnySizeBecomesAnInteger() {
    let cases: [(Double, Int)] = [
      (1.9, 1), (-1.9, -1), (1e300, .max), (-1e300, .min), (.infinity, .max), (.nan, 0), (0x1p63, .max),
    ]
    for (number, whole) in cases { #expect(Int(clamping: number) == whole) }
  }

  @Test func theRemainderOfTheSmallestNumberIsOne() {
    // -9223372036854775808 = -9223372036855 · 1000000 + 224192
    #expect(Int64.min.flooredRemainder(by: 1_000_000) == 224_192)
    #expect(Int64(-1).flooredRemainder(by: 10) == 9 && Int64(-10).flooredRemainder(by: 10) == 0)
    #expect(Int64(13).flooredRemainder(by: 10) == 3)
  }
}
