import FirestoreREST
import Testing

@testable import Transfer

@Suite struct ExaminationTests {
  // The first is the example of RFC 9110; the seconds are `date -d … +%s`'s.
  @Test(arguments: [
    ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
    ("Thu, 29 Feb 2024 23:59:59 GMT", 1_709_251_199),
  ])
  func dates(_ text: String, _ seconds: Int64) { #expect(HTTPDate.seconds(text) == seconds) }

  @Test(arguments: [
    "", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", "Sun, 06 Nov 1994 08:49:37 CET",
    "Sun, 06 Xxx 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49 GMT",
  ])
  func noDates(_ text: String) { #expect(HTTPDate.seconds(text) == nil) }

  @Test(arguments: [
    ("http://proxy:3128", "http://proxy:3128"), ("http://me:secret@proxy:3128", "http://proxy:3128"),
    ("me:se@cret@proxy:3128", "proxy:3128"), ("proxy", "proxy"), ("http://a@b://c@proxy", "http://proxy"),
  ])
  func proxies(_ url: String, _ shown: String) { #expect(Diagnosis.withoutUser(url) == shown) }
}
