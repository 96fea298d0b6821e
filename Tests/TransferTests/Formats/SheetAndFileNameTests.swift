import FirestoreModels
import Schema
import Testing

@testable import Tables
@testable import Transfer

@Suite struct SheetAndFileNameTests {
  @Test(arguments: [
    ("users", ["users"]), ("a/b:c", ["a_b_c"]), ("", ["_"]), ("'x'", ["_x_"]), ("History", ["History (2)"]),
    ("l'été|new!|l_été", ["l_été", "new_", "l_été (2)"]),
    (String(repeating: "語", count: 31), [String(repeating: "語", count: 23)]),
    ("Users|users|USERS", ["Users", "users (2)", "USERS (3)"]),
    (
      "abcdefghijklmnopqrstuvwxyz0123456789|abcdefghijklmnopqrstuvwxyz012345",
      ["abcdefghijklmnopqrstuvwxyz01234", "abcdefghijklmnopqrstuvwxyz0 (2)"]
    ),
    ("🏋🏋🏋🏋🏋🏋🏋🏋🏋🏋🏋🏋🏋🏋🏋🏋", ["🏋🏋🏋🏋🏋🏋🏋🏋🏋🏋🏋🏋🏋🏋🏋"]),
  ])
  func sheetNamesAreLegalAndUnique(wanted: String, given: [String]) {
    var names = SheetNames()
    let names2 = wanted.split(separator: "|", omittingEmptySubsequences: false).map {
      names.unique(String($0))
    }
    #expect(names2 == given)
  }

  @Test(arguments: ["users", "x/a/sub", "groups/*/members", "a:b", "_", "año", "[x]", "a_2Fb"])
  func sheetMarksSayTheCollection(collection: String) throws {
    let path = try #require(CollectionPath(collection))
    let mark = try #require(SheetMark.names(of: path, inSheet: collection).first)
    #expect(
      mark.utf8.allSatisfy { $0.isASCIILetterOrDigit || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: ".") }
    )
    #expect(SheetMark.collection(of: mark) == path)
  }

  @Test("A collection that is too long for one name has several, which the library takes.")
  func longMarks() throws {
    let path = try #require(
      CollectionPath("clinics/c1/departments/d1/\(String(repeating: "ñ", count: 300))/x/labResults")
    )
    for sheet in ["labResults", String(repeating: "語", count: 31)] {
      let names = SheetMark.names(of: path, inSheet: sheet)
      #expect(names.count > 1 && names.allSatisfy { "'\(sheet)'!\($0)".utf8.count < 128 })
      #expect(names.allSatisfy { SheetMark.collection(of: $0) == nil })
      let parts = names.compactMap(SheetMark.part).map { ($0.number, $0.text) }
      var found = Dictionary(parts) { first, _ in first }
      #expect(SheetMark.collection(ofParts: found) == path)
      found[2] = nil
      #expect(SheetMark.collection(ofParts: found) == nil)
    }
    #expect(
      SheetMark.collection(ofParts: [:]) == nil && SheetMark.part(of: "gymmigrate.collection.users") == nil
    )
  }

  @Test("Names of other programs say nothing, and Excel's name of a copy is no collection")
  func foreignNames() throws {
    for name in [
      "Print_Area", "gymmigrate.collection.", "gymmigrate.collection._", "gymmigrate.collection.a_2",
      "gymmigrate.collection.a_FFb",
    ] {
      #expect(SheetMark.collection(of: name) == nil, "\(name)")
    }
    let schema = DatabaseSchema(name: "none", collections: [])
    func collection(_ name: String) -> CollectionPath? {
      ImportSource.collection(of: XLSXPackage.Sheet(name: name, isHidden: false, part: "p"), schema: schema)
    }
    #expect(collection("x")?.string == "x")
    #expect(collection("x (2)") == nil)
  }

  @Test("A long text whose beginning somebody edited in its cell is not the one that was written")
  func editedLongTexts() {
    func shows(_ text: String, _ cell: String) -> Bool {
      cell.withBytes { LongTextMark($0)?.isUnchanged(beside: Array(text.utf8)) ?? false }
    }
    let text = String(repeating: "ñ", count: 40_000)
    let shown = String(repeating: "ñ", count: 200)
    #expect(shows(text, "{\"longText\":1} \(shown)…"))
    #expect(shows("a\r\nb" + text, "{\"longText\":1} a\nb\(String(shown.dropLast(4)))…"))
    for edited in ["\(shown)…!", "\(shown)", "x\(shown.dropFirst())…", "", shown.dropFirst() + "…"] {
      #expect(!shows(text, "{\"longText\":1} \(edited)"), "\(edited.count)")
    }
    #expect(!shows(text, "{\"longText\":1}"))
  }

  @Test(arguments: [
    ("users", "users.csv"), ("groups/g1/members", "groups%2Fg1%2Fmembers.csv"), ("..", "%2E..csv"),
    ("año", "a%C3%B1o.csv"), ("a%", "a%25.csv"), ("groups/*/members", "groups~members.csv"),
    ("a~/*/b", "a%7E~b.csv"), ("a/*/~b", "a~%7Eb.csv"), ("a/*/\u{301}", "a~%CC%81.csv"),
    // The digits are those of `sha256sum`; no byte is cut in two.
    (
      String(repeating: "k", count: 1500),
      String(repeating: "k", count: 180) + "%~9d0abdd6f18612433c5ac6d441410f91.csv"
    ),
    (
      "x" + String(repeating: "é", count: 100),
      "x" + String(repeating: "%C3%A9", count: 29) + "%C3%~47326d88f00787d41ebece2dce6cdbcb.csv"
    ),
  ])
  func fileNamesAreLegal(collection: String, name: String) throws {
    #expect(try ExportOutput.fileName(of: #require(CollectionPath(collection)), "csv") == name)
  }

  @Test("No file of a collection is called as the manifest.")
  func manifest() throws {
    let manifest = CollectionPath(nil, "manifest")
    #expect(try ExportOutput.fileName(of: manifest, "json") == "%6Danifest.json")
    #expect(try ExportOutput.fileName(of: manifest, "ndjson") == "manifest.ndjson")
  }
}
