import FirestoreModels
import Testing

@testable import Schema
@testable import Tables

@Suite struct DateTextTests {
  private static func moment(_ text: String, _ zone: String) throws -> String? {
    var text = text
    let date = text.withUTF8 { DateText($0) }
    return try date.flatMap { try LocalTimeZone(named: zone).moment(of: $0)?.description }
  }

  /// Mexico City is six hours behind UTC; until 2022 its clocks went ahead an hour from April to October.
  @Test(arguments: [
    ("31/12/2026", "2026-12-31T06:00:00Z"), ("2026-12-31", "2026-12-31T06:00:00Z"),
    ("1/2/2026", "2026-02-01T06:00:00Z"), ("01.02.2026", "2026-02-01T06:00:00Z"),
    ("1-2-2026", "2026-02-01T06:00:00Z"), ("2026/2/1", "2026-02-01T06:00:00Z"),
    ("31/12/2026 18:30", "2027-01-01T00:30:00Z"), ("2026-12-31T18:30:15", "2027-01-01T00:30:15Z"),
    ("31/12/2026  06:30 p. m.", "2027-01-01T00:30:00Z"), ("31/12/2026 12:05am", "2026-12-31T06:05:00Z"),
    ("31/12/2026 12:05\u{202F}PM", "2026-12-31T18:05:00Z"), ("31/12/2026 0:00", "2026-12-31T06:00:00Z"),
    ("31/12/2026 23:59:59.999", "2027-01-01T05:59:59.999Z"), ("29/2/2024", "2024-02-29T06:00:00Z"),
    ("1/7/2021", "2021-07-01T05:00:00Z"), ("31-dic-2025", "2025-12-31T06:00:00Z"),
    ("5/Jan/2025 18:30", "2025-01-06T00:30:00Z"), ("1 de SEPTIEMBRE de 2025", "2025-09-01T06:00:00Z"),
    ("1 sept. 2025", "2025-09-01T06:00:00Z"), ("31/12/2026 18:30Z", "2026-12-31T18:30:00Z"),
    ("2025-12-31 18:30:00-06", "2026-01-01T00:30:00Z"),
    ("2025-12-31 18:30:00.5 UTC", "2025-12-31T18:30:00.500Z"),
    ("December 31, 2025", "2025-12-31T06:00:00Z"), ("Sep. 1 2025", "2025-09-01T06:00:00Z"),
    ("nov 25, 2026 3:04 PM", "2026-11-25T21:04:00Z"), ("31/12/2026, 18:30", "2027-01-01T00:30:00Z"),
    ("2025-12-31 18:30:00+05:30", "2025-12-31T13:00:00Z"), ("2025-12-31T18:30-0600", "2026-01-01T00:30:00Z"),
    ("31. Dezember 2025", "2025-12-31T06:00:00Z"), ("15-fev-2026", "2026-02-15T06:00:00Z"),
    ("31-dez-2025", "2025-12-31T06:00:00Z"), ("1 de MARÇO de 2025", "2025-03-01T06:00:00Z"),
    ("1. März 2025 18:30", "2025-03-02T00:30:00Z"), ("5. Okt. 2025", "2025-10-05T06:00:00Z"),
    ("1 de\u{A0}mayo de 2025", "2025-05-01T06:00:00Z"),
  ])
  func whatPeopleType(text: String, expected: String) throws {
    #expect(try Self.moment(text, "America/Mexico_City") == expected)
  }

  @Test(arguments: [
    "12/31/2026", "31/12/26", "30/2/2026", "29/2/2026", "2026-13-01", "0/1/2026", "31-12/2026", "2026",
    "31/12/2026 25:00",
    "31/12/2026 1:5", "31/12/2026 13:00 pm", "31/12/2026 18", "31/12/2026x", "", "a", "31-foo-2025",
    "31-dic/2025", "31-dic-25",
    "12May 5, 2026", "May 5, 26", "May  5, 2026", "Mayo", "May 32, 2026", "Foo 5, 2026", "31/12/2026,18:30",
    "30-feb-2025", "31 de dic", "31/12/2026 18:30-6", "31/12/2026 18:30-24", "31/12/2026 18:30 CST",
    "20251231",
    "20261/1/1", "31. març 2025", "31-mä-2025", "31-\u{C3}",
  ])
  func whatIsNoDate(text: String) {
    var text = text
    #expect(text.withUTF8 { DateText($0) } == nil)
  }

  @Test(
    arguments: [
      ("dd/MM/yyyy", .dayFirst), ("d-M-yyyy", .dayFirst), ("dd.mm.yyyy HH:mm", .dayFirst),
      ("MM/dd/yyyy", .monthFirst),
      ("M/d/yyyy h:mm a", .monthFirst), ("yyyy-MM-dd", .yearFirst), ("yyyy/M/dTHH:mm:ss", .yearFirst),
      ("dd/MM/yy", nil),
      ("yyyy/dd/MM", nil), ("dd/MM-yyyy", nil), ("dd/MM/yyyy x", nil), ("", nil), ("dd/dd/yyyy", nil),
    ] as [(String, DateOrder?)]
  )
  func patterns(pattern: String, expected: DateOrder?) { #expect(DateOrder(pattern: pattern) == expected) }

  @Test(arguments: [("20251231", "2025-12-31T06:00:00Z"), ("20251301", nil), ("2025123", nil)])
  func datesOfDigits(text: String, expected: String?) throws {
    var text = text
    let date = text.withUTF8 { DateText(compact: $0) }
    let zone = try LocalTimeZone(named: "America/Mexico_City")
    #expect(date.flatMap { zone.moment(of: $0)?.description } == expected)
  }

  @Test func hoursThatComeTwiceOrNever() throws {
    // On 30 October 2022 at two the clocks went back to one; on 3 April 2022 at two they went ahead to three.
    #expect(try Self.moment("30/10/2022 01:30", "America/Mexico_City") == "2022-10-30T06:30:00Z")
    #expect(try Self.moment("3/4/2022 02:30", "America/Mexico_City") == nil)
    #expect(try Self.moment("3/4/2022 03:00", "America/Mexico_City") == "2022-04-03T08:00:00Z")
    #expect(try Self.moment("3/4/2022 01:59", "America/Mexico_City") == "2022-04-03T07:59:00Z")
    // In São Paulo 4 November 2018 began at one o'clock: its first moment is 03:00 in UTC.
    #expect(try Self.moment("4/11/2018", "America/Sao_Paulo") == "2018-11-04T03:00:00Z")
    #expect(try Self.moment("4/11/2018 00:30", "America/Sao_Paulo") == nil)
    #expect(try Self.moment("31/12/2026", "UTC") == "2026-12-31T00:00:00Z")
  }
}
