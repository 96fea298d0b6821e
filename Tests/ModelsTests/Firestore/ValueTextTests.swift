import FirestoreModels
import Testing

@Suite struct ValueTextTests {
  @Test(
    "Both sides of a difference differ to the eye.",
    arguments: [
      (.string("caf\u{E9}"), .string("cafe\u{301}"), #""caf\u00e9""#, #""cafe\u0301""#),
      (.string("a b"), .string("a\u{A0}b"), #""a b""#, #""a\u00a0b""#),
      (.string("a"), .string("a\u{200B}"), #""a""#, #""a\u200b""#),
      (.string("\u{1F600}"), .string("\u{1F600}\u{FE0F}"), #""\ud83d\ude00""#, #""\ud83d\ude00\ufe0f""#),
      // These do so by themselves.
      (.string("caf\u{E9}"), .string("cafe"), "\"caf\u{E9}\"", #""cafe""#),
      (.string("a"), .string("a "), #""a""#, #""a ""#),
      (.integer(1), .double(1), "1", "1.0"), (.integer(1), .string("1"), "1", #""1""#),
      (.null, nil, "null", "(none)"),
    ] as [(Value, Value?, String, String)]
  )
  func pairs(_ before: Value, _ after: Value?, _ left: String, _ right: String) {
    let pair = ValueText.pair(before, after)
    #expect(Array(pair.before.utf8) == Array(left.utf8))
    #expect(Array(pair.after.utf8) == Array(right.utf8))
  }

  @Test("What is within arrays differs, too.")
  func arrays() {
    let pair = ValueText.pair(.array([.string("\u{E9}")]), .array([.string("e\u{301}")]))
    #expect(pair.before.contains(#"\u00e9"#) && pair.after.contains(#"e\u0301"#))
    let numbers = ValueText.pair(.array([.integer(1)]), .array([.double(1)]))
    #expect(numbers.before != numbers.after)
  }
}
