import FirestoreModels
import Foundation
import Testing

@testable import Schema
@testable import Tables

/// A cell with whether it stands in quotes.
private struct Cell: Equatable, CustomStringConvertible {
  var text: String
  var isQuoted = false

  var description: String { isQuoted ? "«\(text)»" : text }
}

/// A record as it was read.
private struct Row: Equatable {
  var line: Int
  var cells: [Cell]
}

private func rows(
  _ bytes: some Sequence<UInt8>,
  delimiter: CSVDelimiter? = .comma,
  quotes: TableReading.Quotes = .double,
  maximum: Int = CSVReader.defaultMaximumRecordBytes,
  chunk: Int = 1 << 20
) throws -> [Row] {
  let folder = try ScratchFolder()
  var reading = TableReading()
  reading.quotes = quotes
  var reader = try CSVReader(
    folder.write(bytes, to: "in.csv"),
    delimiter: delimiter,
    reading: reading,
    maximumRecordBytes: maximum,
    chunkSize: chunk
  )
  var rows: [Row] = []
  while try reader.next() {
    let record = reader.record
    rows.append(
      Row(
        line: record.number,
        cells: (0..<record.count).map { Cell(text: record[$0], isQuoted: record.kind($0) == .text) }
      )
    )
  }
  // The end is the end.
  #expect(try !reader.next())
  return rows
}

private func plain(_ texts: String...) -> [Cell] { texts.map { Cell(text: $0) } }

@Suite struct CSVReaderTests {
  @Test(
    "A loose quote ends a cell only before a delimiter or a line end, wherever a piece of the file ends.",
    arguments: 1...12
  )
  func looseQuotes(chunk: Int) throws {
    let text = "\"01\",\"25°56'43.215\"N\"\n\"a \"b\" c\",\"d\"\"e\"\n\"two\nlines\",x\n"
    let read = try rows(text.utf8, quotes: .loose, chunk: chunk)
    #expect(
      read.map { $0.cells.map(\.text) } == [
        ["01", "25°56'43.215\"N"], ["a \"b\" c", "d\"e"], ["two\nlines", "x"],
      ]
    )
    #expect(read.allSatisfy { $0.cells[0].isQuoted })
  }

  @Test("A loose quote that is left open takes no row below into its cell.")
  func openLooseQuote() throws {
    let failure = #expect(throws: Failure.self) {
      try rows("id,n\n\"a\" ,1\n\"b\",2\n".utf8, quotes: .loose)
    }
    #expect(failure?.cause.contains("line 2, column 1: there is text after a quote") == true)
  }

  /// The failure of the first record, and the record behind it.
  private func refusal(
    of bytes: [UInt8],
    maximum: Int = CSVReader.defaultMaximumRecordBytes
  ) throws -> (failure: Failure?, next: [String], capacity: Int) {
    let folder = try ScratchFolder()
    var reader = try CSVReader(
      folder.write(bytes, to: "in.csv"),
      delimiter: .comma,
      maximumRecordBytes: maximum,
      chunkSize: 1 << 16
    )
    do throws(Failure) {
      _ = try reader.next()
      return (nil, [], 0)
    } catch {
      let capacity = reader.record.bytes.capacity + reader.record.cells.capacity
      return (error, try reader.next() ? reader.record.texts : [], capacity)
    }
  }

  @Test(arguments: [",", "\"\",", ",a"]) func aRecordOfTooManyCellsIsRefusedAndTheNextOneRead(
    cell: String
  ) throws {
    let most = String(repeating: cell, count: CSVReader.maximumColumns - 1)
    #expect(try rows((most + "\nx").utf8).map(\.cells.count) == [CSVReader.maximumColumns, 1])
    let (failure, next, capacity) = try refusal(
      of: Array((String(repeating: cell, count: 8 << 20) + "\nx,y").utf8)
    )
    #expect(failure?.kind == .inputMalformed && failure?.record == Failure.Record(line: 1, row: 1))
    #expect(failure?.cause.contains("16384 cells") == true && failure?.cause.contains("delimiter") == true)
    #expect(next == ["x", "y"])
    #expect(capacity < 1 << 20, "no more is held than a record may have")
  }

  @Test func emptyCellsCountForTheLengthOfARecord() throws {
    #expect(try refusal(of: Array("a,,,,,,,,,,\nb".utf8), maximum: 8).next == ["b"])
    #expect(try refusal(of: Array("a,,,\nb".utf8), maximum: 8).failure == nil)
  }

  @Test(arguments: ["\n", "\r", "\r\n"]) func blankLinesAreCountedAcrossPiecesOfTheFile(end: String) throws {
    let text = String(repeating: end, count: 100_001) + "a" + end + end + "b"
    for chunk in [4, 7, 1 << 16] {
      #expect(try rows(text.utf8, chunk: chunk).map(\.line) == [100_002, 100_004])
    }
  }

  @Test(arguments: [4, 5, 7, 1 << 20]) func readsWhatRFC4180Says(chunk: Int) throws {
    let text = "a,b,\r\n\"x, \"\"y\"\"\",\"\",z\n\n,\n\"1\n2\r\n3\r4\",end\rlast"
    let q = { (text: String) in Cell(text: text, isQuoted: true) }
    #expect(
      try rows(text.utf8, chunk: chunk) == [
        Row(line: 1, cells: plain("a", "b", "")),
        Row(line: 2, cells: [q("x, \"y\""), q(""), Cell(text: "z")]),
        Row(line: 4, cells: plain("", "")),
        Row(line: 5, cells: [q("1\n2\r\n3\r4"), Cell(text: "end")]),
        Row(line: 9, cells: plain("last")),
      ]
    )
  }

  @Test(arguments: [4, 1 << 20]) func marksAndEnds(chunk: Int) throws {
    let one = [Row(line: 1, cells: plain("a", "b"))]
    for text in ["a,b", "a,b\n", "a,b\r\n", "a,b\r", "\u{FEFF}a,b", "a,b\n\n\r\n\r\r"] {
      #expect(try rows(text.utf8, chunk: chunk) == one, "\(text.debugDescription)")
    }
    #expect(try rows("".utf8, chunk: chunk).isEmpty && rows("\u{FEFF}".utf8, chunk: chunk).isEmpty)
    // A quoted empty cell alone is a record; a comma alone is two.
    #expect(try rows("\"\"\n".utf8, chunk: chunk) == [Row(line: 1, cells: [Cell(text: "", isQuoted: true)])])
    #expect(try rows("a,\"\"".utf8, chunk: chunk).first?.cells.last?.isQuoted == true)
    #expect(try rows("a,".utf8, chunk: chunk).first?.cells.count == 2)
  }

  @Test(
    arguments: [
      ("a;b,c;d\n", .semicolon), ("a\tb\n", .tab), ("a|b|c,d\n", .pipe), ("a\n;;;", .comma),
      ("a,b;c\n", .comma),
      ("\"a;b;c\",d\n", .comma), ("", .comma),
    ] as [(String, CSVDelimiter)]
  )
  func findsTheDelimiter(text: String, delimiter: CSVDelimiter) throws {
    let folder = try ScratchFolder()
    var reader = try CSVReader(folder.write(text.utf8, to: "in.csv"), delimiter: nil)
    _ = try reader.next()
    #expect(reader.delimiter == delimiter)
  }

  @Test(arguments: [
    ("a,b\nx,y\"z\n", "line 2, column 2: there is a quote in"),
    ("\"a\"b,c", "line 1, column 1: there is text after"),
    ("\"a\n\"\"\n\"b,c", "line 3, column 1: there is text after"),
    ("a\r\n\r\nb,\"c\nd", "line 3, column 2: the quote that opens here is never closed"),
    ("a\nb,c,\u{0}\n\"", "line 3, column 1: the quote that opens"),
  ])
  func errorsSayWhere(text: String, cause: String) throws {
    for chunk in [4, 6, 1 << 20] {
      let failure = #expect(throws: Failure.self) { try rows(text.utf8, chunk: chunk) }
      #expect(
        failure?.kind == .inputMalformed && failure?.cause.hasPrefix(cause) == true,
        "\(failure?.cause ?? "")"
      )
    }
  }

  @Test func encodingsAreTold() throws {
    let latin = #expect(throws: Failure.self) { try rows(Array("a,b\nx,Jos".utf8) + [0xE9, 0x2C, 0x41]) }
    #expect(latin?.cause == "line 2, column 2: the cell is not UTF-8")
    #expect(latin?.remedy?.contains("with --encoding windows-1252") ?? false)
    // Two halves of one character in two cells are none.
    let halves = #expect(throws: Failure.self) { try rows([0xC3, 0x2C, 0xA9]) }
    #expect(halves?.cause == "line 1, column 1: the cell is not UTF-8")
    let wide = ("\u{FEFF}a,€\r\nx,😀\n").utf16.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
    for chunk in [5, 6, 8, 11, 64, 1 << 16] {
      #expect(try rows(wide, chunk: chunk) == rows("a,€\nx,😀\n".utf8, chunk: chunk), "\(chunk)")
    }
    let half = #expect(throws: Failure.self) { try rows([0xFF, 0xFE, 0x61, 0x00, 0x0A]) }
    #expect(half?.cause == "line 1, column 1: the cell has bytes that are no character of utf-16le")
  }

  @Test func aLongRecordIsRefused() throws {
    #expect(throws: Failure.self) { try rows("a,\"bbbbbbbbbbbb".utf8, maximum: 8, chunk: 4) }
    #expect(try rows("a,bbbb\nc,dddd".utf8, maximum: 8).count == 2)
  }

  @Test func theRecordAfterABadOneIsRead() throws {
    let folder = try ScratchFolder()
    var reader = try CSVReader(folder.write("a\nb\"\n\"c\"d\ne\n\"f".utf8, to: "in.csv"))
    var seen: [String] = []
    for _ in 0..<6 {
      do {
        seen.append(try reader.next() ? "\(reader.record.number) \(reader.record[0])" : "end")
      } catch {
        seen.append("!")
      }
    }
    #expect(seen == ["1 a", "!", "!", "4 e", "!", "end"])
  }

  /// What was read is known byte for byte, however it is pieced, and so is a last line without its end.
  @Test(arguments: [4, 5, 7, 1 << 20]) func recordsAreKeptAsTheyAre(chunk: Int) throws {
    let folder = try ScratchFolder()
    let records = ["\"a\"\"b\", c ,", "x\"y,z", "\"d\"e,\"f\"", "\"g\r\nh\"", "last,"]
    let text = "\r\n" + records.joined(separator: "\r\n")
    var reader = try CSVReader(folder.write(text.utf8, to: "in.csv"), chunkSize: chunk)
    for record in records {
      #expect(reader.unterminatedLine == nil)
      do { #expect(try reader.next()) } catch { #expect(record.contains("x") || record.contains("d")) }
      #expect(String(decoding: reader.rawRecord, as: UTF8.self) == record)
    }
    #expect(reader.unterminatedLine == 7)
    #expect(try !reader.next())
  }

  @Test(arguments: ["\n", "\r\n", "\r", "  \n\t\n", ";;\n", "\"\";\"\"\n", "\u{FEFF}\n"])
  func theFirstLineThatHoldsSomethingNamesTheDelimiter(_ before: String) throws {
    for end in ["\n", "\r", ""] {
      #expect(try rows("\(before)a,b;c;d\(end)".utf8, delimiter: nil).last?.cells == plain("a,b", "c", "d"))
    }
  }

  @Test(arguments: [4, 5, 7, 1 << 20]) func aFirstLineNamesTheDelimiter(chunk: Int) throws {
    let read = { (text: String, delimiter: CSVDelimiter?) in
      try rows(text.utf8, delimiter: delimiter, chunk: chunk)
    }
    let expected = [Row(line: 2, cells: plain("a,b", "c"))]
    #expect(try read("sep=;\na,b;c\n", nil) == expected)
    #expect(try read("\u{FEFF}sep=|\r\na,b|c", nil) == expected)
    // An option decides, and the line is no header all the same.
    #expect(try read("sep=,\na,b;c\n", .semicolon) == expected)
    #expect(try read("a\nsep=;\n", nil).count == 2, "only the first line is such a line")
    #expect(try read("sep=;", nil).isEmpty)
  }

  /// Random tables, written with random quotes and line ends and read in random chunks, come out as they went in, and
  /// as Python's csv module reads them.
  @Test(arguments: [1, 2, 3]) func readsWhatPythonReads(seed: UInt64) throws {
    var trouble = FaultInjector(seed: seed)
    let delimiter = trouble.pick([CSVDelimiter.comma, .semicolon, .tab, .pipe])
    let separator = delimiter.rawValue
    var table: [[Cell]] = []
    var text = ""
    for _ in 0..<300 {
      let ending = trouble.pick(["\n", "\r\n", "\r"])
      let cells = (0..<Int.random(in: 2...6, using: &trouble.random)).map { _ in
        let pieces = (0..<trouble.pick([0, 1, 1, 3])).map { _ in
          trouble.pick(["a", "é", "😀", " ", "\"", "\n", "\r\n", "\r", ",", ";", "\t", "|", "0123456789"])
        }
        let text = pieces.joined()
        let needsQuotes = text.unicodeScalars.contains { "\"\r\n\(separator)".unicodeScalars.contains($0) }
        return Cell(text: text, isQuoted: needsQuotes || trouble.pick([true, false]))
      }
      table.append(cells)
      text +=
        cells.map { $0.isQuoted ? "\"\($0.text.replacing("\"", with: "\"\""))\"" : $0.text }
        .joined(separator: separator) + ending
    }
    for chunk in [4, Int.random(in: 5...100, using: &trouble.random), 1 << 20] {
      #expect(
        try rows(text.utf8, delimiter: delimiter, chunk: chunk).map(\.cells) == table,
        "seed \(seed), \(chunk)"
      )
    }
    guard Judge.hasPython else { return }
    let folder = try ScratchFolder()
    let file = try folder.write(text.utf8, to: "in.csv")
    let python = try Judge.run([Judge.script("read_csv.py"), file, separator])
    let judged = try #require(JSONSerialization.jsonObject(with: python) as? [[String]])
    let expected = table.map { $0.map { Array($0.text.utf8) } }
    #expect(judged.map { $0.map { Array($0.utf8) } } == expected, "seed \(seed)")
  }
}
