import CZlib
import FirestoreModels

@testable import Schema
@testable import Tables

/// A CSV file as it stands: in pieces of any size it is read the same, and what was read can be written and read again.
func fuzzCSV(_ input: [UInt8]) {
  let whole = readCSV(input, chunkSize: 1 << 16)
  // A text of zero bytes is refused by what its first piece shows.
  for size in [5, 8, 64] where !input.contains(0) {
    expect(readCSV(input, chunkSize: size) == whole, "pieces of \(size) read otherwise")
  }
  // Behind an empty line, because a first line may name the delimiter.
  var written: [UInt8] = [0x0D, 0x0A]
  var cells: [[String]] = []
  for case .record(let record) in whole {
    cells.append(record)
    for (index, cell) in record.enumerated() {
      if index > 0 { written.append(UInt8(ascii: ",")) }
      written += "\"\(cell.replacing("\"", with: "\"\""))\"".utf8
    }
    written += [0x0D, 0x0A]
  }
  expect(
    readCSV(written, chunkSize: 64) == cells.map { .record($0) },
    "records are others after they were written"
  )
  // The delimiter and compression are found out.
  inMemory(input) { path in
    guard var table = attempt({ () throws(Failure) in try TableReader(path, format: .csv) }) else { return }
    readAll(&table, atMost: input.count)
  }
}

private enum Record: Equatable {
  case record([String])
  case refused
}

private func readCSV(_ bytes: [UInt8], chunkSize: Int) -> [Record] {
  // What is compressed or UTF-16 is refused as a whole, or is another text.
  inMemory(bytes) { path in
    var records: [Record] = []
    guard
      var reader = attempt({ () throws(Failure) in
        try CSVReader(path, delimiter: .comma, maximumRecordBytes: 1 << 16, chunkSize: chunkSize)
      })
    else { return [.refused] }
    var line = 0
    // Each record and each that is refused takes a byte at least, but for the end.
    while records.count <= bytes.count + 1 {
      do throws(Failure) {
        guard try reader.next() else { return records }
        expect(reader.record.number > line, "lines do not rise")
        line = reader.record.number
        records.append(.record(reader.record.texts))
      } catch {
        records.append(.refused)
        if error.kind != .inputMalformed || bytes.starts(with: [0x1F, 0x8B]) { return records }
      }
    }
    fatalError("a file of \(bytes.count) bytes has no end")
  }
}

/// Reads a table to its end; one that is refused ends there.
private func readAll(_ table: inout TableReader, atMost limit: Int) {
  var last = 0
  for _ in 0...limit {
    do throws(Failure) {
      guard try table.next() else { return }
      expect(table.row.number > last, "row numbers do not rise")
      last = table.row.number
      for index in 0..<table.row.count { _ = (table.row[index], table.row.kind(index)) }
    } catch {
      expect(error.kind == .inputMalformed || error.kind == .inputMissing, "a table fails with \(error.kind)")
      return
    }
  }
}

/// A workbook: a file as it stands, or where it begins with `x`, a sheet, the texts and the styles, with NUL in between,
/// packed as workbooks are.
func fuzzXLSX(_ input: [UInt8]) {
  let isParts = input.first == UInt8(ascii: "x")
  let bytes =
    isParts
    ? workbook(input.dropFirst().split(separator: 0, maxSplits: 2, omittingEmptySubsequences: false)) : input
  inMemory(bytes) { path in
    guard let package = attempt({ () throws(Failure) in try XLSXPackage(path) }) else { return }
    if isParts { expect(package.sheets.map(\.name) == ["S"], "the sheet is not found") }
    for sheet in package.sheets.prefix(3) {
      guard
        var table = attempt({ () throws(Failure) in try TableReader(path, format: .xlsx, sheet: sheet.name) })
      else { continue }
      readAll(&table, atMost: 1 << 20)
      expect(table.row.count <= 16_384, "a row of \(table.row.count) cells")
    }
  }
}

private func workbook(_ parts: [ArraySlice<UInt8>]) -> [UInt8] {
  let types = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
  func relations(_ targets: [(String, String)]) -> ArraySlice<UInt8> {
    let list = targets.enumerated().map { index, target in
      "<Relationship Id=\"r\(index)\" Type=\"\(types)/\(target.0)\" Target=\"\(target.1)\"/>"
    }
    return ArraySlice("<Relationships>\(list.joined())</Relationships>".utf8)
  }
  let sheets = "<sheets><sheet name=\"S\" r:id=\"r0\"/></sheets>"
  var files: [(String, ArraySlice<UInt8>)] = [
    ("_rels/.rels", relations([("officeDocument", "w.xml")])),
    ("w.xml", ArraySlice("<workbook xmlns:r=\"\(types)\">\(sheets)</workbook>".utf8)),
    ("sheet.xml", parts.first ?? []),
  ]
  var targets = [("worksheet", "sheet.xml")]
  for (index, name) in ["sharedStrings", "styles"].enumerated() where parts.count > index + 1 {
    targets.append((name, "\(name).xml"))
    files.append(("\(name).xml", parts[index + 1]))
  }
  files.append(("_rels/w.xml.rels", relations(targets)))
  return zip(files)
}

/// A ZIP archive of stored files, which a change of a part does not break.
private func zip(_ files: [(String, ArraySlice<UInt8>)]) -> [UInt8] {
  func little(_ number: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
  }
  var out: [UInt8] = []
  var directory: [UInt8] = []
  for (name, content) in files {
    let sum = Int(content.withUnsafeBufferPointer { crc32(0, $0.baseAddress, UInt32(content.count)) })
    let shared =
      little(20, 2) + little(0, 8) + little(sum, 4) + little(content.count, 4) + little(content.count, 4)
      + little(name.utf8.count, 2) + little(0, 2)
    directory +=
      [0x50, 0x4B, 1, 2] + little(20, 2) + shared + little(0, 10) + little(out.count, 4) + name.utf8
    out += [0x50, 0x4B, 3, 4] + shared + name.utf8 + content
  }
  let end =
    little(files.count, 2) + little(files.count, 2) + little(directory.count, 4) + little(out.count, 4)
  return out + directory + [0x50, 0x4B, 5, 6] + little(0, 4) + end + little(0, 2)
}
