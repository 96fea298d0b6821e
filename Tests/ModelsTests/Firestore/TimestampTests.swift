import FirestoreModels
import TestSupport
import Testing

@Suite("Timestamps")
struct TimestampTests {
  // Seconds by GNU date: `date -u -d 2024-02-29T12:00:00Z +%s`.
  @Test(arguments: [
    ("1970-01-01T00:00:00Z", Int64(0), Int32(0)),
    ("0001-01-01T00:00:00Z", -62_135_596_800, 0),
    ("9999-12-31T23:59:59.999999999Z", 253_402_300_799, 999_999_999),
    ("1969-12-31T23:59:59.999Z", -1, 999_000_000),
    ("2024-02-29T12:00:00Z", 1_709_208_000, 0),
    ("2000-02-29T00:00:00Z", 951_782_400, 0),
    ("1600-02-29T00:00:00Z", -11_670_998_400, 0),
    ("2026-01-02T03:04:05.100Z", 1_767_323_045, 100_000_000),
    ("2026-01-02T03:04:05.000001Z", 1_767_323_045, 1000),
    ("2026-01-02T03:04:05.000000001Z", 1_767_323_045, 1),
  ])
  func readAndWritten(text: String, seconds: Int64, nanoseconds: Int32) throws {
    let moment = try #require(Timestamp(text))
    #expect(moment.seconds == seconds)
    #expect(moment.nanoseconds == nanoseconds)
    #expect(moment.description == text)
  }

  @Test(arguments: [
    ("2026-01-02T03:04:05.1Z", "2026-01-02T03:04:05.100Z"),
    ("2026-01-02T03:04:05.12Z", "2026-01-02T03:04:05.120Z"),
    ("2026-01-02T03:04:05.1234Z", "2026-01-02T03:04:05.123400Z"),
    ("2026-01-02T03:04:05.1234567Z", "2026-01-02T03:04:05.123456700Z"),
    ("2026-01-02T03:04:05.000Z", "2026-01-02T03:04:05Z"),
    ("2026-01-02T03:04:05+00:00", "2026-01-02T03:04:05Z"),
    ("2026-01-02T03:04:05-00:00", "2026-01-02T03:04:05Z"),
    ("2026-01-02T03:04:05.123456789+05:30", "2026-01-01T21:34:05.123456789Z"),
    ("2026-12-31T20:00:00-06:00", "2027-01-01T02:00:00Z"),
    ("2024-03-01T00:30:00+01:00", "2024-02-29T23:30:00Z"),
    ("2023-03-01T00:30:00+01:00", "2023-02-28T23:30:00Z"),
    ("2026-01-02t03:04:05z", "2026-01-02T03:04:05Z"),
    ("9999-12-31T23:59:59+23:59", "9999-12-31T00:00:59Z"),
  ])
  func normalised(input: String, output: String) {
    #expect(Timestamp(input)?.description == output)
  }

  @Test(arguments: [
    "", "2026", "2026-01-02", "2026-01-02T03:04:05", "2026-01-02 03:04:05Z", "2026-01-02T03:04Z",
    "2026-01-02T03:04:05.Z", "2026-01-02T03:04:05.1234567890Z", "2026-01-02T03:04:05,5Z",
    "2026-01-02T03:04:05ZZ",
    "2026-01-02T03:04:05Z ", " 2026-01-02T03:04:05Z", "2026-1-02T03:04:05Z", "2026-01-2T03:04:05Z",
    "26-01-02T03:04:05Z", "12026-01-02T03:04:05Z", "-026-01-02T03:04:05Z", "+026-01-02T03:04:05Z",
    "0000-12-31T23:59:59Z", "2026-00-02T03:04:05Z", "2026-13-02T03:04:05Z", "2026-01-00T03:04:05Z",
    "2026-01-32T03:04:05Z", "2026-04-31T03:04:05Z", "2023-02-29T00:00:00Z", "1900-02-29T00:00:00Z",
    "2100-02-29T00:00:00Z", "2026-01-02T24:00:00Z", "2026-01-02T03:60:05Z", "2026-06-30T23:59:60Z",
    "2026-01-02T03:04:05+24:00", "2026-01-02T03:04:05+05:60", "2026-01-02T03:04:05+0530",
    "2026-01-02T03:04:05+05",
    "2026-01-02T03:04:05+5:30", "2026-01-02T03:04:05+05:3", "2026-01-02T03:04:05Z+01:00",
    "２026-01-02T03:04:05Z",
    // Valid in form, but outside the range of years.
    "0001-01-01T00:00:00+00:01", "9999-12-31T23:59:59-00:01",
  ])
  func malformed(_ text: String) {
    #expect(Timestamp(text) == nil)
  }

  @Test func everyDayOfTheCalendarComesBack() {
    // Every day from 0001-01-01; the loop below defines the calendar.
    var (year, month, day) = (1, 1, 1)
    var days = -719_162
    var wrong: [Int] = []
    while year <= 9999 {
      if year < 5 || (1895...2105).contains(year) || year > 9995 || (day == 1 && month % 2 == 1) {
        let isRight =
          Civil.days(year: year, month: month, day: day) == days
          && Civil.date(days: days) == (year, month, day)
        if !isRight { wrong.append(days) }
      }
      let leap = year % 400 == 0 || (year % 4 == 0 && year % 100 != 0)
      let lengths = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
      days += 1
      day += 1
      if day > lengths[month - 1] { (month, day) = (month + 1, 1) }
      if month > 12 { (year, month) = (year + 1, 1) }
    }
    #expect(wrong == [])
    #expect(days == 2_932_897)
  }

  @Test func boundsOfTheInitializer() {
    #expect(Timestamp(seconds: Timestamp.minimumSeconds - 1) == nil)
    #expect(Timestamp(seconds: Timestamp.maximumSeconds + 1) == nil)
    #expect(Timestamp(seconds: 0, nanoseconds: -1) == nil)
    #expect(Timestamp(seconds: 0, nanoseconds: 1_000_000_000) == nil)
  }

  @Test func orderAndRounding() throws {
    let a = try #require(Timestamp("1969-12-31T23:59:59.123456789Z"))
    let b = try #require(Timestamp("1970-01-01T00:00:00Z"))
    #expect(a < b)
    #expect(!(b < a))
    #expect(a.flooredToMicroseconds.description == "1969-12-31T23:59:59.123456Z")
    #expect(b.flooredToMicroseconds == b)
  }

  /// A text is passed on as it is exactly if reading and writing it gives that text.
  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func canonicalTextsAreThoseThatStayAsTheyAre(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var (canonical, other) = (0, 0)
    for _ in 0..<2000 {
      let seconds = Int64.random(in: Timestamp.minimumSeconds...Timestamp.maximumSeconds, using: &random)
      let unit = [0, 1, 1000, 1_000_000].randomElement(using: &random) ?? 0
      let nanoseconds = Int32(Int.random(in: 0...999, using: &random) * unit)
      let time = try #require(Timestamp(seconds: seconds, nanoseconds: nanoseconds))
      var text = Array(time.description.utf8)
      for _ in 0..<Int.random(in: 0...2, using: &random) {
        let bytes = Array("0123456789-:.TtZz+ /\u{7F}\u{FF}".utf8)
        let byte = bytes.randomElement(using: &random) ?? 0
        let at = Int.random(in: 0..<text.count, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: text.insert(byte, at: at)
        case 1: text.remove(at: at)
        default: text[at] = byte
        }
      }
      let string = String(decoding: text, as: UTF8.self)
      let stays = Timestamp(string).map { Array($0.description.utf8) == text } ?? false
      #expect(text.withUnsafeBufferPointer { Timestamp.isCanonical($0) } == stays, "\(string)")
      if stays { canonical += 1 } else { other += 1 }
    }
    #expect(canonical > 300 && other > 300)
  }

  @Test func noTextIsCanonicalForNoReason() {
    for text in [
      "", "Z", "2026-01-02T03:04:05", "2026-02-29T00:00:00Z", "2026-00-01T00:00:00Z", "0000-01-01T00:00:00Z",
    ] {
      #expect(!Array(text.utf8).withUnsafeBufferPointer { Timestamp.isCanonical($0) }, "\(text)")
    }
  }
}
