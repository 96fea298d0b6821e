import FirestoreModels
import Foundation
import Schema
import TestSupport
import Testing

@testable import Tables

@Suite(
  "What a person sees in the cells of a sheet",
  .enabled(if: Judge.hasPython, "Python makes the workbooks")
)
struct SheetCellTests {
  /// By hand: 10 days of 24 hours and 15 are 255 hours; 10 minutes are 1/144 of a day, 10 seconds 1/8640.
  private static let long = "10.632060185185185"

  @Test(
    "A duration is hours, minutes and seconds under text, seconds under numbers, and never an instant.",
    arguments: [
      ("46", long, "255:10:10", 918_610), ("[h]:mm:ss", long, "255:10:10", 918_610),
      ("[hh]:mm", "1.5", "36:00:00", 129_600),
      ("[mm]", "0.5", "12:00:00", 43_200), ("[Red][ss].000", "0.0000115741", "0:00:01", 1),
      ("[h]:mm:ss", "-0.0625", "-1:30:00", -5400), ("h:mm", "1.0625", "25:30:00", 91_800),
      ("mm:ss", "2", "48:00:00", 172_800), ("[h]:mm", "0.00000289351852", "0:00:00.250", 0.25),
    ] as [(String, String, String, Double)]
  )
  func durations(format: String, number: String, text: String, seconds: Double) throws {
    var table = try SheetTable()
    table.book.formats = [format]
    let cell = "<c s=\"1\"><v>\(number)</v></c>"
    #expect(try table.value("text", cell) == .string(text))
    #expect(try table.value("other", cell) == .string(text))
    #expect(try table.value("number", cell) == .double(seconds))
    let whole = try table.fault("whole", cell)
    #expect(whole == nil ? seconds.rounded() == seconds : seconds.rounded() != seconds)
    #expect(try table.fault("time", cell)?.contains("the cell is a duration") == true)
  }

  @Test("A date that shows its time alone is a date, and a time of day a text.")
  func times() throws {
    var table = try SheetTable()
    table.book.formats = ["h:mm"]
    let moment = try #require(Timestamp("2026-12-31T18:30:00Z"))
    #expect(try table.value("time", "<c s=\"1\"><v>46387.770833333336</v></c>") == .timestamp(moment))
    #expect(try table.value("text", "<c s=\"1\"><v>0.770833333333333</v></c>") == .string("18:30"))
  }

  @Test("A date alone whose midnight the clocks leave out is the start of its day.")
  func skippedMidnight() throws {
    var table = try SheetTable()
    (table.book.formats, table.zone) = (["dd/mm/yyyy", "dd/mm/yyyy hh:mm"], "America/Santiago")
    // 7 September 2014 began at one o'clock, three hours behind UTC.
    let start = try #require(Timestamp("2014-09-07T04:00:00Z"))
    #expect(try table.value("time", "<c s=\"1\"><v>41889</v></c>") == .timestamp(start))
    #expect(try table.value("other", "<c s=\"1\"><v>41889</v></c>") == .timestamp(start))
    let half = "<c s=\"2\"><v>41889.020833333336</v></c>"
    #expect(try table.fault("time", half)?.contains("a local time that exists in America/Santiago") == true)
  }

  @Test(
    "A number under text has the shortest digits of its double.",
    arguments: [
      ("10.199999999999999", "10.2"), ("0.10000000000000001", "0.1"), ("7.0", "7"), ("1E3", "1000"),
      ("-0", "0"),
      ("1.50", "1.5"), ("10.200000000000001", "10.200000000000001"), ("-2.7000000000000002", "-2.7"),
      ("9007199254740991", "9007199254740991"),
    ]
  )
  func digits(xml: String, text: String) throws {
    var table = try SheetTable()
    #expect(try table.value("text", "<c><v>\(xml)</v></c>") == .string(text))
    let found = try table.read(["other"], [["<c><v>\(xml)</v></c>"], [SheetTable.text("a")]])
    #expect(found.fields.map { $0["other"] } == [.string(text), .string("a")])
    var header = HandMadeWorkbook()
    header.rows = "<row><c><v>\(xml)</v></c></row>"
    var reader = try TableReader(header.write(to: table.folder))
    _ = try reader.nextTexts()
    #expect(reader.row[0] == (xml == "-0" ? "-0" : text))
  }

  @Test("Every double reads back from its digits.")
  func randomDigits() throws {
    var random = SplitMix64(seed: 1)
    for _ in 0..<20_000 {
      let number = Double(bitPattern: UInt64.random(in: 0..<UInt64.max, using: &random))
      if !number.isFinite { continue }
      for number in [number, (number.magnitude < 1e12 ? number * 100 : 0).rounded() / 100] {
        var digits: [UInt8] = []
        ShownText.append(number, to: &digits)
        let text = String(decoding: digits, as: UTF8.self)
        #expect(Double(text)?.bitPattern == number.bitPattern && !text.hasSuffix(".0"), "\(number)")
      }
    }
  }

  @Test(
    "Where the format shows a code, text is what is shown, and a number stays a number.",
    arguments: [
      ("00000", "3100", "03100"), ("000-000", "1234", "001-234"), ("000\\-000", "1234", "001-234"),
      ("&quot;CP &quot;00000", "3100", "CP 03100"), ("00000", "123456", "123456"), ("#000", "7", "007"),
      ("[&lt;=99999]00000;00000\\-0000", "3100", "03100"),
      ("[&lt;=99999]00000;00000\\-0000", "31001234", "03100-1234"),
      ("00000;@", "3100", "03100"), ("[$-80A]00000_)", "0", "00000"), ("000 000", "12345678", "12345 678"),
      ("00000", "-7", "-00007"), ("000-000", "-1234", "-001-234"), ("00000;[Red]\\-00000", "-7", "-00007"),
      ("00000;@", "-7", "-00007"), ("000;(000)", "-7", "(007)"), ("00000;-00000;0000", "0", "0000"),
      ("&quot;0&quot;000", "7", "0007"), ("&quot;044&quot;0000000000", "5512345678", "0445512345678"),
      ("\\0000", "7", "0007"), ("00&quot;.&quot;00", "3100", "31.00"), ("00&quot;.&quot;00", "700", "07.00"),
      ("&quot;Lote 2026-&quot;0000", "7", "Lote 2026-0007"), ("&quot;2026;&quot;0", "7", "2026;7"),
      ("?00000", "3100", "03100"), ("[&gt;9]00000", "10", "00010"), ("[=7]000;0", "7", "007"),
      ("[&gt;99999]General;00000", "3100", "03100"), ("[&lt;10]0;[&lt;&gt;12]0000;0", "11", "0011"),
    ]
  )
  func padding(format: String, number: String, text: String) throws {
    var table = try SheetTable()
    table.book.formats = [format]
    let cell = "<c s=\"1\"><v>\(number)</v></c>"
    #expect(try table.value("text", cell) == .string(text))
    #expect(try table.value("other", cell) == .string(text))
    #expect(try table.value("whole", cell) == .integer(try #require(Int64(number))))
    #expect(try table.value("number", cell) == .double(try #require(Double(number))))
  }

  @Test(
    "Formats that do not pad, and numbers that are not padded, are numbers.",
    arguments: [
      ("0", "7"), ("#0", "7"), ("0.00", "7"), ("00.00", "7"), ("#,##0", "7"), ("00%", "7"), ("0E+00", "7"),
      ("00000;0", "-7"), ("00000;;0", "0"), ("[&gt;9]00000", "9"), ("[&gt;99999]General;00000", "100000"),
      ("0&quot; m2&quot;", "7"), ("&quot;MXN &quot;0", "7"), ("[&lt;10]0;[&lt;&gt;12]0000;0", "12"),
    ]
  )
  func noPadding(format: String, number: String) throws {
    var table = try SheetTable()
    table.book.formats = [format]
    #expect(
      try table.value("other", "<c s=\"1\"><v>\(number)</v></c>") == .integer(try #require(Int64(number)))
    )
  }

  @Test("A negative number keeps its sign in a column of numbers, although its format does not show it.")
  func hiddenSign() throws {
    var table = try SheetTable()
    table.book.formats = ["000;(000)"]
    #expect(try table.value("whole", "<c s=\"1\"><v>-7</v></c>") == .integer(-7))
    #expect(try table.value("number", "<c s=\"1\"><v>7</v></c>") == .double(7))
  }

  @Test(
    "A padded number of which the workbook does not have all digits is refused as text.",
    arguments: ["12345678901234567", "-12345678901234567", "98765432109876543210"]
  )
  func lostDigits(number: String) throws {
    var table = try SheetTable()
    table.book.formats = ["00000000000000000000"]
    let cell = "<c s=\"1\"><v>\(number)</v></c>"
    for heading in ["text", "other"] {
      #expect(
        try table.fault(heading, cell)?.contains("the cell is a number without all its digits: ") == true
      )
    }
    #expect(try table.fault("number", cell)?.contains("a number that a double holds") == true)
  }

  @Test("A number under the type of dates is refused with what makes it one.")
  func numberForDate() throws {
    var table = try SheetTable()
    let fault = try table.fault("time", "<c><v>46000</v></c>")
    #expect(fault?.contains("the cell is a number: give it the format of a date") == true)
  }

  @Test(
    "A whole number that may lack digits is none, and the way out is said; below 2^53 it is one.",
    arguments: ["9007199254740992", "12345678901234567", "-9007199254740993", "1E+17"]
  )
  func largeNumbers(number: String) throws {
    var table = try SheetTable()
    let cell = "<c><v>\(number)</v></c>"
    for heading in ["whole", "text", "other"] {
      #expect(
        try table.fault(heading, cell)?.contains("give it the format of text and type them") == true,
        "\(heading)"
      )
    }
    #expect(try table.value("other", "<c><v>9007199254740991</v></c>") == .integer(9_007_199_254_740_991))
    let isHeld = Double(keepingDigits: number.utf8) != nil
    #expect(try table.fault("number", cell) == nil || !isHeld)
    if !isHeld { #expect(try table.fault("number", cell)?.contains("it would lose digits") == true) }
  }

  @Test("Values are read as other programs read them.")
  func values() throws {
    var table = try SheetTable()
    table.book.sharedStrings = ["<t>uno</t>"]
    let cells: [(String, Value?)] = [
      ("<c t=\"inlineStr\"><is><t>is</t></is><v>v</v></c>", .string("is")),
      ("<c t=\"inlineStr\"><v>v</v><is><r><t>i</t></r><r><t>s</t></r></is></c>", .string("is")),
      ("<c t=\"inlineStr\"><v>v</v></c>", .string("v")), ("<c t=\"s\"/>", nil), ("<c t=\"s\"><v/></c>", nil),
      ("<c t=\"s\"><v> 0\n</v></c>", .string("uno")), ("<c><v>\n 7 </v></c>", .integer(7)),
      ("<c><v> </v></c>", nil),
      ("<c t=\"b\"><v> 1 </v></c>", .boolean(true)), ("<c t=\"b\"><v>true</v></c>", .boolean(true)),
      ("<c t=\"b\"><v>false</v></c>", .boolean(false)), ("<c t=\"b\"><v/></c>", nil),
      ("<c t=\"str\"><v> a </v></c>", .string(" a ")),
    ]
    for (cell, value) in cells {
      let found = try table.read(["other", "whole"], [[cell, "<c><v>1</v></c>"]])
      #expect(found.faults.isEmpty && found.fields.first?["other"] == value, "\(cell): \(found)")
    }
    for cell in [
      "<c t=\"b\"><v>2</v></c>", "<c><v>0x10</v></c>", "<c t=\"s\"><v>1</v></c>", "<c><v>1 2</v></c>",
      "<c><is><t>a</t></is></c>",
    ] {
      #expect(throws: Failure.self, "\(cell)") { try table.read(["other"], [[cell]]) }
    }
  }

  @Test("Days that do not exist are named.", arguments: ["text", "whole", "time", "other"])
  func impossibleDates(heading: String) throws {
    var table = try SheetTable()
    table.book.formats = ["14"]
    for (number, cause) in [
      ("60", "29 February 1900, which did not exist"), ("60.5", "29 February 1900, which did not exist"),
      ("-1", "a negative date"), ("2958466", "a date after 9999"),
      ("0", "a time in a format of dates, which shows day 0; give it a format of times"),
      ("0.75", "a time in a format of dates, which shows day 0; give it a format of times"),
    ] {
      let fault = try table.fault(heading, "<c s=\"1\"><v>\(number)</v></c>")
      #expect(fault?.hasSuffix("the cell is \(cause)") == true, "\(number): \(fault ?? "")")
    }
    table.book.workbookProperties = "date1904=\"1\""
    let start = Timestamp("1904-01-01T18:00:00Z")
    table.book.formats = ["22"]
    #expect(try table.value("time", "<c s=\"1\"><v>0.75</v></c>") == start.map { .timestamp($0) })
    #expect(try table.fault(heading, "<c s=\"1\"><v>-1</v></c>")?.hasSuffix("a negative date") == true)
  }

  @Test("Booleans and dates beside texts are text where nothing declares a type.")
  func mixedColumns() throws {
    var table = try SheetTable()
    table.book.formats = ["14", "22"]
    let rows = [
      ["<c t=\"b\"><v>1</v></c>", "<c s=\"1\"><v>46387</v></c>"],
      [SheetTable.text("maybe"), "<c s=\"2\"><v>46387.770833333336</v></c>"],
      ["<c><v>10.199999999999999</v></c>", SheetTable.text("soon")],
    ]
    let found = try table.read(["a", "b"], rows)
    #expect(found.faults.isEmpty)
    #expect(
      found.fields == [
        ["a": .string("true"), "b": .string("2026-12-31")],
        ["a": .string("maybe"), "b": .string("2026-12-31 18:30:00")],
        ["a": .string("10.2"), "b": .string("soon")],
      ]
    )
    // A declared text that is a date or a truth value is a mistake.
    #expect(try table.fault("text", "<c s=\"1\"><v>46387</v></c>")?.contains("the cell is a date") == true)
    #expect(try table.fault("text", "<c t=\"b\"><v>1</v></c>") != nil)
  }

  /// Day 46,054 is 1 February 2026.
  @Test("A heading that is a date is the day, or the day and the time.")
  func datesAsHeadings() throws {
    var table = try SheetTable()
    table.book.formats = ["dd/mm/yyyy", "22"]
    let headings = ["<c s=\"1\"><v>46054</v></c>", "<c s=\"2\"><v>46054.75</v></c>"]
    let found = try table.read(headings, [["<c><v>5</v></c>", "<c><v>6</v></c>"]])
    #expect(found.fields.first?["2026-02-01"] == .integer(5))
    #expect(found.fields.first?["2026-02-01 18:00:00"] == .integer(6))
  }

  @Test(
    "A number before a percent sign that is text is the percentage that it shows.",
    arguments: [
      (nil, ["padded 16%", "padded 5.5%", "number 0.07"]),
      (.fraction, ["number 0.16", "number 0.055", "number 0.07"]),
      (.number, ["number 16", "number 5.5", "number 7"]),
    ] as [(TableReading.Percent?, [String])]
  )
  func percentSigns(percent: TableReading.Percent?, expected: [String]) throws {
    let folder = try ScratchFolder()
    var book = HandMadeWorkbook()
    book.formats = ["0&quot;%&quot;", "0.0\\%", "0%"]
    book.rows = "<row><c s=\"1\"><v>16</v></c><c s=\"2\"><v>5.5</v></c><c s=\"3\"><v>0.07</v></c></row>"
    var reading = TableReading()
    reading.percent = percent
    var reader = try TableReader(book.write(to: folder), reading: reading)
    #expect(try reader.next())
    let row = reader.row
    #expect((0..<3).map { "\(row.kind($0)) \(row[$0])" } == expected)
    #expect(row.percents == (percent == nil ? [2] : [0, 1, 2]))
    let numbers = expected.map { Double($0.split(separator: " ")[1].filter { $0 != "%" }) }
    #expect((0..<3).map { row.number($0) } == numbers)
  }

  @Test("The parts of a workbook may have backslashes in their names, and in those that lead to them.")
  func backslashes() throws {
    let folder = try ScratchFolder()
    var book = HandMadeWorkbook()
    book.sharedStrings = ["<t>uno</t>"]
    book.rows = "<row><c t=\"s\"><v>0</v></c></row>"
    for change in ["xl/", "/"] {
      let parts = book.parts.map { part in
        var part = part
        part.name = change == "/" ? "/" + part.name : part.name.replacing("/", with: "\\")
        part.text = part.text.replacing("worksheets/sheet1.xml", with: "worksheets\\sheet1.xml")
        return part
      }
      var reader = try TableReader(HandMadeWorkbook.write(parts, to: folder.file("book.xlsx")))
      #expect(try reader.next() && reader.row[0] == "uno")
    }
  }
}
