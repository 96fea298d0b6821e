import Files
import FirestoreModels
import Foundation
import GymModels
import Schema
import Tables
import TestSupport
import Testing

@testable import GymReports

@Suite struct MoneySumTests {
  private func cents(_ values: [Value]) -> Int {
    var sum = MoneySum()
    for value in values {
      let isAdded = sum.add(value)
      #expect(isAdded)
    }
    return sum.cents
  }

  @Test func keepsCentsThatDoublesLose() {
    #expect(cents(Array(repeating: .double(0.1), count: 10)) == 100)
    #expect(cents(Array(repeating: .double(0.01), count: 1_000_000)) == 1_000_000)
    #expect(cents([.double(1e9), .double(0.01), .double(-1e9)]) == 1)
    #expect(cents([.integer(7), .double(0.5), .integer(-3)]) == 450)
  }

  @Test func roundsHalvesAwayFromZero() {
    #expect(cents([.double(0.125)]) == 13)
    #expect(cents([.double(-0.125)]) == -13)
    #expect(cents([.double(0.375)]) == 38)
    #expect(cents([.double(0.124)]) == 12)
    #expect(cents([.double(-0.124)]) == -12)
    #expect(cents([]) == 0)
  }

  @Test func agreesWithDecimalArithmetic() {
    var random = SplitMix64(seed: 7)
    for _ in 1...200 {
      let prices = (1...500).map { _ in Int.random(in: -500_000...500_000, using: &random) }
      #expect(cents(prices.map { .double(Double($0) / 100) }) == prices.reduce(0, +))
    }
  }

  @Test(
    arguments: [
      nil, .null, .string("7"), .boolean(true), .double(.nan), .double(.infinity), .double(-.infinity),
      .double(1e300), .double(.greatestFiniteMagnitude), .integer(.max), .integer(.min),
      .array([.integer(1)]),
    ] as [Value?]
  )
  func refusesWhatIsNoAmount(_ value: Value?) {
    var sum = MoneySum()
    let isAdded = sum.add(value)
    #expect(!isAdded && sum == MoneySum())
  }
}

@Suite struct OwnerReportTests {
  private let zone: LocalTimeZone
  private let january: ClosedRange<CalendarDay>

  init() throws {
    zone = try LocalTimeZone(named: "America/Mexico_City")
    january = try #require(CalendarDay("2026-01-01"))...#require(CalendarDay("2026-01-31"))
  }

  private func report(
    _ documents: [(String, FieldMap)],
    seesExpenses: Bool = true
  ) throws -> OwnerReport {
    var builder = ReportBuilder(
      days: january,
      asOf: try #require(CalendarDay("2026-01-10")),
      today: CalendarDay("2026-02-03"),
      seesExpenses: seesExpenses,
      in: zone
    )
    for (path, fields) in documents {
      builder.add(RawDocument(path: try #require(DocumentPath(path)), fields: fields))
    }
    return builder.report
  }

  private func time(_ text: String) throws -> Value { .timestamp(try #require(Timestamp(text))) }

  @Test("A month begins and ends at midnight where the gym is.")
  func edges() throws {
    func payment(_ id: Int, _ moment: String) throws -> (String, FieldMap) {
      (
        "payments/\(id)",
        [
          "status": .string("completed"), "completedAt": try time(moment), "amount": .integer(1),
          "createdAt": try time("2020-01-01T00:00:00Z"),
        ]
      )
    }
    let report = try report([
      payment(1, "2026-01-01T05:59:59.999999999Z"), payment(2, "2026-01-01T06:00:00Z"),
      payment(3, "2026-02-01T05:59:59.999999999Z"), payment(4, "2026-02-01T06:00:00Z"),
    ])
    #expect(report.income.total.count == 2)
    #expect(report.income.byDay.map(\.key) == ["2026-01-01", "2026-01-31"])
  }

  @Test("A stock may have a fraction, and is shown as it is.")
  func lowStock() throws {
    let stocks: [(String, Value)] = [
      ("half", .double(0.5)), ("minus", .double(-0.5)), ("almost", .double(4.9)), ("five", .double(5)),
      ("more", .double(5.1)),
      ("none", .double(-.infinity)), ("text", .string("1")), ("one", .integer(1)),
    ]
    let report = try report(stocks.map { ("products/\($0)", ["stock": $1]) })
    #expect(report.lowStock.map(\.id) == ["minus", "half", "one", "almost", "five"])
    let table = try #require(report.tables(ReportWords(.english)).last)
    #expect(table.rows.map(\.text) == ["-0.5", "0.5", "1", "4.9", "5"])
    let sheet = try #require(report.sheet(ReportWords(.english)).sections.first { $0.title == table.title })
    #expect(
      sheet.rows.prefix(3).map { $0[1] } == [
        .number(-0.5, format: "General"), .number(0.5, format: "General"), .number(1, format: "#,##0"),
      ]
    )
    var json = JSONWriter()
    json.object { report.writeMembers(to: &$0) }
    #expect(String(decoding: json.bytes, as: UTF8.self).contains(#"{"id":"half","name":null,"stock":0.5}"#))
  }

  @Test("Check-ins without a time, and active memberships whose end is no time, are said to be left out.")
  func undatedPeople() throws {
    let text = Value.string("2026-01-12")
    var members: [(String, FieldMap)] = []
    for (number, end) in [text, .integer(1), nil, .null, try time("2026-01-12T12:00:00Z")].enumerated() {
      var fields: FieldMap = ["membershipStatus": .string("active")]
      fields["membershipEndDate"] = end
      members.append(("members/\(number)", fields))
      fields["isActive"] = .boolean(false)
      members.append(("members/gone\(number)", fields))
    }
    members.append(("members/e", ["membershipStatus": .string("expired"), "membershipEndDate": text]))
    let report = try report([("check_ins/1", ["checkInDate": text]), ("check_ins/2", [:])] + members)
    #expect(report.undated.checkIns == 2 && report.undated.memberships == 2 && report.endingSoon.count == 1)
    var json = JSONWriter()
    json.object { report.writeMembers(to: &$0) }
    #expect(
      String(decoding: json.bytes, as: UTF8.self).contains(
        #""undated":{"checkIns":2,"expenses":0,"memberships":2,"payments":0}"#
      )
    )
    for (language, said) in [
      (ReportWords.Language.spanish, "pesos: asistencias 2, vencimientos 2"),
      (.english, "pesos: check-ins 2, ends of memberships 2"),
    ] {
      let words = ReportWords(language)
      let page = String(decoding: report.page(words, of: "test", at: nil), as: UTF8.self)
      #expect("\(report.text(words))".contains(said) && page.contains(said), "\(report.text(words))")
    }
  }

  @Test("Who may not see expenses finds none, in no output.")
  func receptionist() throws {
    let documents: [(String, FieldMap)] = [
      (
        "expenses/1",
        ["date": try time("2026-01-05T12:00:00Z"), "amount": .double(77.7), "category": .string("rent")]
      ),
      ("expenses/2", ["amount": .double(1)]),
    ]
    let all = try report(documents)
    #expect(all.expenses?.total.cents == 7770 && all.profitCents == -7770 && all.undated.expenses == 1)
    let some = try report(documents, seesExpenses: false)
    #expect(some.expenses == nil && some.profitCents == nil && some.undated.expenses == 0)
    var json = JSONWriter()
    json.object { some.writeMembers(to: &$0) }
    for language in ReportWords.Language.allCases {
      let words = ReportWords(language)
      let outputs = [
        some.text(words).description, String(decoding: some.page(words, of: "test", at: nil), as: UTF8.self),
        String(decoding: json.bytes, as: UTF8.self), "\(some.sheet(words))",
      ]
      for output in outputs {
        for word in ["77.7", "7770", "expenses", words[.expenses], words[.profit]] {
          #expect(!output.contains(word), "\(word)")
        }
      }
    }
  }

  @Test("What documents hold is text on the page, and no markup; each bar has its number beside it.")
  func hostile() throws {
    let name = "<script>alert(1)</script>\u{202E}\"'&"
    let report = try report([
      ("check_ins/1", ["checkInDate": try time("2026-01-05T12:00:00Z"), "memberId": .string("m")]),
      (
        "payments/1",
        [
          "status": .string("completed"), "createdAt": try time("2026-01-05T12:00:00Z"),
          "amount": .integer(5),
          "type": .string(name), "method": .string("membership"),
        ]
      ),
      ("members/m", ["firstName": .string(name), "membershipStatus": .string(name)]),
      ("products/p", ["name": .string(name), "stock": .integer(-1)]),
    ])
    let page = String(decoding: report.page(ReportWords(.spanish), of: "test", at: nil), as: UTF8.self)
    #expect(!page.contains("<script") && !page.contains("\u{202E}"))
    #expect(page.components(separatedBy: "&lt;script&gt;alert(1)").count == 5)
    #expect(page.contains("\\u202e&quot;&#39;&amp;"))
    #expect(page.contains("default-src 'none'") && !page.contains("http:") && !page.contains("https:"))
    for table in report.tables(ReportWords(.spanish)) {
      for row in table.rows { #expect(page.contains(row.text)) }
    }
    // On a terminal nothing is obeyed either.
    #expect(!report.text(ReportWords(.english)).description.contains("\u{202E}"))
  }

  @Test("Every closed value that a heading may be has a word in both languages.")
  func words() throws {
    let headings = [
      ("payments", "type"), ("payments", "method"), ("expenses", "category"), ("members", "membershipStatus"),
    ]
    for (collection, field) in headings {
      let declared = GymSchema.schema.collection(CollectionPath(nil, collection))?.field(
        FieldPath(field: field)
      )
      let values = try #require(declared?.values).compactMap(\.string)
      #expect(!values.isEmpty)
      for value in values {
        let spanish = ReportWords(.spanish).value(value)
        // These are names, and the same in any language.
        if ["apple_pay", "google_pay", "stripe", "marketing", "service"].contains(value) { continue }
        #expect(spanish != value, "\(collection).\(field): \(value)")
      }
    }
    for term in ReportWords.Term.allCases {
      #expect(!ReportWords(.spanish)[term].isEmpty && !ReportWords(.english)[term].isEmpty)
    }
    #expect(ReportWords.money(-123_456_705) == "-$1,234,567.05")
    #expect(ReportWords.money(0) == "$0.00")
  }

  @Test("An empty gym has a report.")
  func empty() throws {
    let report = try report([])
    #expect(report.income.total.cents == 0 && report.checkIns.byHour == Array(repeating: 0, count: 24))
    #expect(report.text(ReportWords(.spanish)).description.contains("nada"))
    #expect(
      String(decoding: report.page(ReportWords(.english), of: "test", at: nil), as: UTF8.self).hasSuffix(
        "</html>\n"
      )
    )
    // Beside the period and the totals there are headings, and a word below each.
    let sections = report.sheet(ReportWords(.spanish)).sections
    #expect(sections.dropFirst(2).count == 9)
    #expect(sections.dropFirst(2).allSatisfy { $0.rows.isEmpty && $0.empty == "nada" })
  }

  @Test(
    "In a workbook money is in pesos, days and months are days of its calendar, and what has no bars has no chart."
  )
  func sheet() throws {
    let report = try report([
      (
        "payments/1",
        [
          "status": .string("completed"), "completedAt": try time("2026-01-06T05:30:00Z"),
          "amount": .double(1234.05), "type": .string("day_pass"), "method": .string("cash"),
        ]
      ),
      ("check_ins/1", ["checkInDate": try time("2026-01-06T05:30:00Z"), "memberId": .string("m")]),
      (
        "members/m",
        [
          "firstName": .string("Ana"), "membershipStatus": .string("active"),
          "membershipEndDate": try time("2026-01-12T12:00:00Z"),
        ]
      ),
      ("products/p", ["stock": .integer(-9_007_199_254_740_993)]),
      ("expenses/1", ["amount": .integer(1)]),
    ])
    let sheet = report.sheet(ReportWords(.spanish))
    func rows(_ title: String) throws -> [[SummarySheet.Cell]] {
      try #require(sheet.sections.first { $0.title == title }).rows
    }
    let one = SummarySheet.Cell.number(1, format: "#,##0")
    #expect(
      try rows("Ingresos por tipo") == [
        [.text("pase de día"), .number(1234.05, format: "\"$\"#,##0.00"), one]
      ]
    )
    // 2026-01-05, where the gym is: 46,027 days after 1899-12-30.
    #expect(try rows("Asistencias por día") == [[.number(46_027, format: "yyyy-mm-dd"), one]])
    #expect(try rows("Asistencias por hora") == [[.text("23:00"), one]])
    #expect(
      try rows("Membresías que vencen en 7 días desde el 2026-01-10") == [
        [.text("Ana"), .number(46_034, format: "yyyy-mm-dd")]
      ]
    )
    // More than a double can hold.
    #expect(try rows("Existencias de 5 o menos al 2026-02-03") == [[.text("p"), .text("-9007199254740993")]])
    #expect(
      try rows("No contados, sin fecha o sin importe en pesos") == [
        [.text("Ingresos"), .number(0, format: "#,##0"), .number(0, format: "#,##0")],
        [.text("Gastos"), one, .number(0, format: "#,##0")],
        [.text("Asistencias"), .number(0, format: "#,##0"), .number(0, format: "#,##0")],
        [.text("Vencimientos"), .number(0, format: "#,##0"), .number(0, format: "#,##0")],
      ]
    )
    // The text and the page say the same days.
    for (words, titles) in [
      (
        ReportWords(.spanish),
        [
          "Miembros registrados al 2026-02-03", "Miembros por estado al 2026-02-03",
          "Membresías que vencen en 7 días desde el 2026-01-10", "Existencias de 5 o menos al 2026-02-03",
        ]
      ),
      (
        ReportWords(.english),
        [
          "Registered members on 2026-02-03", "Members by status on 2026-02-03",
          "Memberships that end within 7 days from 2026-01-10", "Stock of 5 or less on 2026-02-03",
        ]
      ),
    ] {
      let page = String(decoding: report.page(words, of: "test", at: nil), as: UTF8.self)
      let text = "\(report.text(words))"
      for title in titles { #expect(page.contains(title) && text.contains(title), "\(title)") }
    }
    let charts = sheet.sections.filter { $0.chart != nil }.map(\.title)
    #expect(
      charts == [
        "Ingresos por tipo", "Ingresos por método", "Gastos por categoría", "Asistencias por día",
        "Asistencias por hora", "Los diez con más asistencias", "Miembros por estado al 2026-02-03",
      ]
    )
  }
}
