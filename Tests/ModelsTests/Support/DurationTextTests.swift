import FirestoreModels
import Testing

@Suite("Durations as they are typed")
struct DurationTextTests {
  @Test(
    "A bare number is seconds; ms, s, m and h are units.",
    arguments: [
      ("90", 90), ("90s", 90), ("5m", 300), ("1h", 3600), ("500ms", 0.5), ("0.5", 0.5), ("1.5h", 5400),
      ("0", 0),
      ("007", 7), ("0.2s", 0.2), ("87600h", 315_360_000),
    ] as [(String, Double)]
  )
  func good(_ text: String, _ seconds: Double) {
    #expect(Duration(typed: text)?.inSeconds == seconds)
  }

  @Test(
    "Anything else is no duration.",
    arguments: [
      "", " ", "s", "5 m", "5M", "5min", "-5", "+5", "1e3", "1.", ".5", "1.2.3", "1h30m", "inf", "nan",
      "0x10", "5s ",
      "٥", "87600.1h", "999999999999999999999999", "5\u{301}", "5m\u{301}",
    ]
  )
  func bad(_ text: String) {
    #expect(Duration(typed: text) == nil)
  }

  @Test(
    "It is written in the largest unit that it is a whole number of.",
    arguments: [
      (300, "5m"), (90, "90s"), (3600, "1h"), (5400, "90m"), (0.5, "500ms"), (1.25, "1250ms"), (0, "0ms"),
    ] as [(Double, String)]
  )
  func written(_ seconds: Double, _ text: String) {
    #expect(Duration.seconds(seconds).typedText == text)
    #expect(Duration(typed: text)?.inSeconds == seconds)
  }
}
