import FirestoreModels
import TestSupport
import Testing

@testable import Files
@testable import Schema
@testable import Tables
@testable import Transfer

@Suite("The sheets of a workbook that an import reads")
struct ImportSourceTests {
  /// Writes a workbook with a document for each collection, and returns the sheets that an import reads.
  private func sheets(of collections: [String], text: String) throws -> [String?] {
    let folder = try ScratchFolder()
    let path = folder.file("book.xlsx")
    let writer = try XLSXWriter(path, options: XLSXOptions(timeZone: try LocalTimeZone(named: "UTC")))
    for name in collections {
      let collection = try #require(CollectionPath(name))
      let sheet = try writer.sheet(for: collection)
      try sheet.append(RawDocument(path: DocumentPath(collection, "d"), fields: ["text": .string(text)]))
      try sheet.finish()
    }
    try writer.finish()
    let all = CollectionPath("all")
    return try ImportSource.resolve([path], collection: all, flattens: true, schema: .none).map(\.sheet)
  }

  /// A workbook of a person, whose sheets have names that stand for no collection.
  private func workbook(in folder: ScratchFolder, _ sheets: [String]) throws -> String {
    var book = HandMadeWorkbook()
    book.sheets = sheets.map { ($0, "") }
    return try book.write(to: folder)
  }

  private func failure(_ body: () throws -> Void) -> Failure? {
    do {
      try body()
      return nil
    } catch {
      return error as? Failure
    }
  }

  @Test("Several sheets become one collection only where that is meant.", .enabled(if: Judge.hasPython))
  func severalSheets() throws {
    let folder = try ScratchFolder()
    let path = try workbook(in: folder, ["Socios 2025", "Pagos 2025"])
    let named = failure { _ = try ImportSource.resolve([path], schema: .none) }
    #expect(named?.kind == .usage && named?.remedy?.contains("--sheet 'Socios 2025=COLLECTION'") == true)
    let clients = CollectionPath("clients")
    let merged = failure { _ = try ImportSource.resolve([path], collection: clients, schema: .none) }
    #expect(merged?.kind == .usage && merged?.remedy?.contains("--flatten") == true)
    let flat = try ImportSource.resolve([path], collection: clients, flattens: true, schema: .none)
    #expect(flat.map(\.collection) == [clients, clients])
    let one = try ImportSource.resolve([path], collection: clients, sheets: ["Pagos 2025"], schema: .none)
    #expect(one.map(\.sheet) == ["Pagos 2025"])
    let chosen = ["Pagos 2025=payments", "Socios 2025=groups/g1/members"]
    let sheets = try ImportSource.resolve([path], sheets: chosen, schema: .none)
    #expect(sheets.map(\.collection?.string) == ["groups/g1/members", "payments"])
    let rest = try ImportSource.resolve(
      [path],
      collection: clients,
      sheets: ["Pagos 2025=payments", "Socios 2025"],
      schema: .none
    )
    #expect(rest.map(\.collection?.string) == ["clients", "payments"])
  }

  @Test("Of NAME=COLLECTION the longest name that a sheet has counts.", .enabled(if: Judge.hasPython))
  func sheetsWithSigns() throws {
    let folder = try ScratchFolder()
    let path = try workbook(in: folder, ["a", "a=b", "c=d=e"])
    func sheets(_ texts: String...) throws -> [String] {
      try ImportSource.resolve([path], sheets: texts, schema: .none).map {
        "\($0.sheet ?? "")>\($0.collection?.string ?? "")"
      }
    }
    #expect(try sheets("a=x") == ["a>x"])
    #expect(try sheets("a=b=x") == ["a=b>x"])
    #expect(try sheets("a=c=x") == ["a>c=x"])
    #expect(try sheets("c=d=e=x", "a") == ["a>a", "c=d=e>x"])
    // The name of the sheet itself, which stands for no collection.
    #expect(failure { _ = try sheets("a=b") }?.kind == .usage)
    #expect(failure { _ = try sheets("a=x", "a=y") }?.kind == .usage)
    #expect(failure { _ = try sheets("a=x/y") }?.kind == .usage)
    #expect(failure { _ = try sheets("a=_gymmigrate") }?.kind == .usage)
    #expect(failure { _ = try sheets("b=x") }?.kind == .inputMissing)
  }

  @Test("Tables and JSON Lines of several collections become one only where that is meant.")
  func severalFiles() throws {
    let folder = try ScratchFolder()
    for name in ["members.csv", "payments.csv", "members.jsonl"] {
      _ = try folder.write("__name__\n".utf8, to: name)
    }
    let all = CollectionPath("all")
    let pairs = [["members.csv", "payments.csv"], ["members.csv", "members.jsonl"]]
    for names in pairs {
      let paths = names.map { folder.file($0) }
      #expect(failure { _ = try ImportSource.resolve(paths, collection: all, schema: .none) }?.kind == .usage)
      let flat = try ImportSource.resolve(paths, collection: all, flattens: true, schema: .none)
      #expect(flat.count == 2)
    }
    let same = [folder.file("members.csv"), folder.file("members.csv")]
    #expect(try ImportSource.resolve(same, collection: all, schema: .none).count == 2)
  }

  @Test("The sheet of long texts is no collection, and one of that name is.")
  func longTexts() throws {
    let names = ["notes", "long texts"]
    #expect(try sheets(of: names, text: "short") == names)
    #expect(try sheets(of: names, text: String(repeating: "x", count: 40_000)) == names)
    #expect(try sheets(of: ["notes"], text: String(repeating: "x", count: 40_000)) == ["notes"])
  }
}
