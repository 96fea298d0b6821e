import TestSupport
import Testing

@testable import Schema

@Suite struct TextPatternTests {
  @Test("What bytes decide is what the engine of regular expressions finds.") func choices() throws {
    let patterns = [
      "self|admin:[^/]+", "a", "a|", "[^b]+", "a[^b]+", "a[^b]+|b", "a|[^:]+", "a[^\\d]+",
      "a[^b]*", "a.+",
      "(a|b)c", "a[^b-d]+", "^a$", "[^|]+", "ñ|a", "a[^ñ]+",
    ]
    let pieces = [
      "", "a", "b", "c", "|", ":", "/", "\n", "ñ", "n\u{303}", "]", "-", "5", "self", "admin:", "😀", " ",
    ]
    var random = SplitMix64(seed: 37)
    for text in patterns {
      let pattern = try #require(TextPattern(text))
      let regex = try Regex(text).matchingSemantics(.unicodeScalar)
      for _ in 0..<400 {
        let count = Int.random(in: 0...3, using: &random)
        let candidate = (0..<count).map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
        let expected = (try? regex.wholeMatch(in: candidate)) != nil
        #expect(pattern.matches(candidate) == expected, "\(text): \(candidate.debugDescription)")
      }
    }
  }
}
