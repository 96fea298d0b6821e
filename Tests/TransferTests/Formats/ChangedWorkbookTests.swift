import FirestoreModels
import Foundation
import Testing

@testable import Tables
@testable import Transfer

@Suite(
  "Workbooks that people changed, and their exact values",
  .enabled(
    if: Judge.hasOpenpyxl,
    "openpyxl changes and judges the workbooks; GYMMIGRATE_PYTHON names a Python that has it"
  )
)
struct ChangedWorkbookTests {
  private let books: ExactValueFixture

  init() throws { books = try ExactValueFixture() }

  // MARK: What people do

  private func people() throws -> String {
    try books.export([
      books.document(
        "ana",
        ["phone": .integer(5_511_111_111), "d": .double(0.1 + 0.2), "s": .integer(1), "b": .string("si")]
      ),
      books.document(
        "eva",
        ["phone": .integer(5_522_222_222), "d": .double(0.7 + 0.1), "s": .integer(2), "b": .string("no")]
      ),
      books.document(
        "leo",
        ["phone": .string("5533333333"), "d": .double(1.5), "s": .string("3"), "b": .boolean(true)]
      ),
    ])
  }

  @Test("A cell that somebody changed counts; the others keep their exact values.")
  func changedCells() throws {
    let path = try people()
    try books.change(
      path,
      """
      cell("ana", "phone").value = "5599999999"
      cell("ana", "d").value = 0.31
      cell("eva", "s").value = "two"
      cell("leo", "d").value = 2.5
      cell("eva", "b").value = None
      """
    )
    let found = try books.read(path)
    #expect(found.faults.isEmpty)
    try books.expectSame(
      found.documents,
      [
        books.document(
          "ana",
          ["phone": .string("5599999999"), "d": .double(0.31), "s": .integer(1), "b": .string("si")]
        ),
        books.document(
          "eva",
          ["phone": .integer(5_522_222_222), "d": .double(0.7 + 0.1), "s": .string("two")]
        ),
        books.document(
          "leo",
          ["phone": .string("5533333333"), "d": .double(2.5), "s": .string("3"), "b": .boolean(true)]
        ),
      ]
    )
  }

  @Test("A whole number typed over any double is a double; over an integer it is an integer.")
  func wholeNumbers() throws {
    let fields: FieldMap = [
      "a": .double(18.5), "b": .double(0.1 + 0.2), "c": .double(1.5e-12), "d": .double(7), "e": .integer(7),
      "f": .double(-0.25), "g": .double(2.5e17),
    ]
    let path = try books.export([books.document("ana", fields)])
    let names = fields.entries.map(\.name)
    let edits = names.map { #"cell("ana", "\#($0)").value = 19"# }
    try books.change(path, edits.joined(separator: "\n"))
    for name in names {
      let typed: Value = name == "e" ? .integer(19) : .double(19)
      #expect(try books.field(name, of: "ana", in: path) == typed, "\(name)")
    }
  }

  @Test("A text that is made a number, or a number a text, was changed.")
  func changedKinds() throws {
    let path = try people()
    try books.change(path, #"cell("ana", "phone").value = 5511111111; cell("eva", "s").value = "2""#)
    #expect(try books.field("phone", of: "ana", in: path) == .string("5511111111"))
    #expect(try books.field("s", of: "eva", in: path) == .string("2"))
    #expect(try books.field("s", of: "ana", in: path) == .integer(1))
  }

  @Test(
    "A number typed into a column without a type is refused where it may lack digits; as text it has them."
  )
  func lostDigits() throws {
    let documents = [
      books.document("ana", ["other": .integer(9_007_199_254_740_993)]),
      books.document("eva", ["other": .double(1e22)]),
      books.document("leo", ["other": .double(9_007_199_254_740_992)]),
    ]
    let path = try books.export(documents)
    try books.expectSame(try books.read(path).documents, documents)
    try books.change(path, #"cell("ana", "other").value = "9007199254740995""#)
    #expect(try books.field("other", of: "ana", in: path) == .integer(9_007_199_254_740_995))
    for number in ["9007199254740992", "-9007199254740996", "9.22337203685478e18"] {
      try books.change(path, #"cell("ana", "other").value = \#(number)"#)
      let faults = try books.read(path).faults
      #expect(faults.count == 1 && faults[0].contains("without all its digits"), "\(number): \(faults)")
    }
  }

  @Test("A date typed among texts of a column without a type is refused, and a number there is said.")
  func typedAmongTexts() throws {
    let texts = (1...12).map { books.document("t\($0)", ["other": .string("text \($0)")]) }
    let path = try books.export(texts)
    try books.change(path, #"cell("t3", "other").value = 7"#)
    let found = try books.read(path)
    #expect(found.notices.count == 1)
    #expect(found.notices.first?.contains("a number in 1 cell beside 11 texts, the first in row 4") == true)
    #expect(found.notices.first?.contains("--types 'other=text'") == true)
    try books.change(path, #"import datetime; cell("t2", "other").value = datetime.date(1990, 7, 16)"#)
    let failure = #expect(throws: Failure.self) { try books.read(path) }
    for part in ["row 3, ", "(other)", "a date beside 10 texts", "--types 'other=text'", "'other=any'"] {
      #expect(failure?.description.contains(part) == true, "\(part)")
    }
  }

  @Test("A text typed among numbers, booleans or times of a column without a type is said.")
  func textsAmongOthers() throws {
    let time = try #require(Timestamp(seconds: 1_700_000_000))
    for (value, noun, type) in [
      (Value.integer(5), "numbers", "double"), (.boolean(true), "booleans", "boolean"),
      (.timestamp(time), "dates", "timestamp"),
    ] {
      let path = try books.export((1...12).map { books.document("t\($0)", ["other": value]) })
      #expect(try books.read(path).notices.isEmpty)
      try books.change(path, #"cell("t3", "other").value = "No""#)
      let found = try books.read(path)
      #expect(found.notices.count == 1)
      let said = "a text in 1 cell beside 11 \(noun), the first in row 4; --types 'other=\(type)'"
      #expect(found.notices.first?.contains(said) == true, "\(found.notices)")
    }
  }

  @Test("A time of an export beside texts is what it is, and so is a date that is typed beside both.")
  func timesAmongTexts() throws {
    let time = try #require(Timestamp(seconds: 1_700_000_000))
    let documents = [
      books.document("a", ["other": .string("x")]), books.document("b", ["other": .timestamp(time)]),
      books.document("c", ["other": .string("y")]),
    ]
    let path = try books.export(documents)
    try books.expectSame(try books.read(path).documents, documents)
    try books.change(path, #"import datetime; cell("c", "other").value = datetime.date(2023, 7, 16)"#)
    #expect(try books.field("other", of: "c", in: path)?.typeName == "timestamp")
  }

  @Test("Rows that are sorted, deleted, copied or added keep or have their own values.")
  func rows() throws {
    let path = try people()
    try books.change(
      path,
      """
      rows = [[it.value for it in row] for row in sheet.iter_rows(min_row=2)]
      formats = [it.number_format for it in sheet[2]]
      sheet.delete_rows(2, 3)
      new = list(rows[0])
      new[0] = "new"
      for number, row in enumerate([rows[2], new, rows[1], rows[1]]):
          for column, value in enumerate(row):
              if value is not None:
                  sheet.cell(number + 2, column + 1, value)
      """
    )
    let found = try books.read(path).documents
    #expect(found.map(\.path.id) == ["leo", "new", "eva", "eva"])
    #expect(found[0].fields["phone"] == .string("5533333333"))
    #expect(found[1].fields["phone"] == .string("5511111111"))
    #expect(found[1].fields["d"] == .double(0.3))
    #expect(found[2].fields["phone"] == .integer(5_522_222_222) && found[2].fields["d"] == .double(0.7 + 0.1))
    #expect(found[3] == found[2])
  }

  @Test(
    "A column that is renamed or deleted takes its exact values along into oblivion; a label is the same column."
  )
  func renamedColumn() throws {
    let path = try people()
    try books.change(
      path,
      """
      names = [it.value for it in sheet[1]]
      sheet.cell(1, names.index("d") + 1).value = "dd"
      sheet.cell(1, names.index("phone") + 1).value = "Teléfono"
      sheet.delete_cols(names.index("s") + 1)
      """
    )
    let read = try books.read(path)
    let said = try #require(read.warnings.first { $0.contains("exact values") })
    #expect(said.hasPrefix("2 cells show exact values") && said.contains("--rename 'dd=d'"), "\(said)")
    let ana = try #require(read.documents.first)
    #expect(ana.fields["phone"] == .integer(5_511_111_111))
    #expect(ana.fields["dd"] == .double(0.3))
    #expect(ana.fields["s"] == nil && ana.fields["d"] == nil)
    #expect(ana.fields["b"] == .string("si"))
  }

  @Test("A sheet that is renamed keeps its exact values, and one of the same ids has none of another's.")
  func sheets() throws {
    let path = books.folder.file("two.xlsx")
    let writer = try XLSXWriter(path, options: books.options)
    let others = try #require(CollectionPath("others"))
    for (collection, value) in [(books.orders, Value.integer(7)), (others, Value.string("7"))] {
      let sheet = try writer.sheet(for: collection)
      try sheet.append(
        books.document(
          "d1",
          ["x": .reference("projects/p/databases/d/documents/a/b"), "phone": value],
          in: collection
        )
      )
      try sheet.append(
        books.document("d2", ["x": collection == books.orders ? .string("a/b") : .bytes([1])], in: collection)
      )
      try sheet.finish()
    }
    try writer.finish()
    #expect(
      try books.read(path).documents.map { $0.fields["x"]?.typeName } == [
        "reference", "string", "reference", "bytes",
      ]
    )
    #expect(
      try books.read(path).documents.compactMap { $0.fields["phone"]?.typeName } == ["integer", "string"]
    )
    try books.change(path, #"sheet.title = "Pedidos"; book["others"].title = "others2""#)
    let found = try books.read(path, into: books.orders).documents
    #expect(found.map { $0.fields["x"]?.typeName } == ["reference", "string", "reference", "bytes"])
  }

  @Test("Sheets may be renamed crosswise; what a copied sheet does not take is said.")
  func crosswise() throws {
    let path = books.folder.file("cross.xlsx")
    let writer = try XLSXWriter(path, options: books.options)
    let others = try #require(CollectionPath("others"))
    for collection in [books.orders, others] {
      let sheet = try writer.sheet(for: collection)
      let value: Value =
        collection == others ? .integer(1) : .reference("projects/p/databases/d/documents/a/b")
      try sheet.append(books.document("d1", ["x": value], in: collection))
      try sheet.finish()
    }
    try writer.finish()
    #expect(try books.read(path).warnings == [])
    try books.change(path, #"book["others"].title = "t"; sheet.title = "others"; book["t"].title = "orders""#)
    let found = try books.read(path)
    #expect(found.documents.map { $0.fields["x"]?.typeName } == ["reference", "integer"])
    #expect(found.warnings == [])
    try books.change(path, #"copy = book.copy_worksheet(sheet); copy.title = "copy""#)
    let copied = try books.read(path)
    #expect(copied.warnings.count { $0.contains("belong to another sheet") } == 1, "\(copied.warnings)")
  }

  @Test("Without the hidden sheet, a workbook says what it shows.")
  func removed() throws {
    let path = try people()
    try books.change(path, "book.remove(exact)")
    let found = try books.read(path)
    #expect(
      found.documents.map { $0.fields["phone"] }
        == ["5511111111", "5522222222", "5533333333"].map { .string($0) }
    )
    #expect(found.documents.map { $0.fields["d"] } == [0.3, 0.7 + 0.1, 1.5].map { .double($0) })
  }

  // MARK: Damage

  @Test(
    "A hidden sheet that is damaged is an error with its place and what to do.",
    arguments: [
      ("exact.cell(3, 5).value = '{\"integerValue\":'", 3),
      ("exact.cell(4, 5).value = '{\"wholeValue\":\"7\"}'", 4),
      ("exact.cell(2, 5).value = None", 2), ("exact.cell(2, 2).value = None", 2), ("exact.delete_cols(4)", 1),
      ("exact.delete_rows(1)", 1), ("exact.delete_rows(1, 100)", 1), ("exact.cell(5, 5).value = 7", 5),
    ]
  )
  func damaged(_ script: String, _ row: Int) throws {
    let path = try people()
    try books.change(path, script)
    let failure = try #require(#expect(throws: Failure.self) { try books.read(path) })
    #expect(failure.kind == .inputMalformed)
    #expect(failure.description.contains("sheet _exact, row \(row):"), "\(failure)")
    #expect(failure.remedy?.contains("Delete the sheet") == true, "\(failure)")
  }

  @Test("A hidden sheet of which bytes are changed at random is read or refused, never more than that.")
  func randomDamage() throws {
    let path = try people()
    let seed = 13
    try Judge.run([
      "-c",
      """
      import random, sys, zipfile
      chance = random.Random(int(sys.argv[2]))
      with zipfile.ZipFile(sys.argv[1]) as book:
          parts = {name: book.read(name) for name in book.namelist()}
      for number in range(200):
          sheet = bytearray(parts["xl/worksheets/sheet2.xml"])
          for _ in range(chance.randint(1, 2)):
              at = chance.randrange(len(sheet))
              kind = chance.randrange(5)
              if kind < 3:
                  sheet[at] = chance.choice(b"0123456789abcXYZ")
              elif kind == 3:
                  del sheet[at:at + chance.randint(1, 40)]
              else:
                  sheet[at:at] = sheet[max(0, at - 60):at]
          with zipfile.ZipFile(f"{sys.argv[1]}.{number}.xlsx", "w") as book:
              for name, part in parts.items():
                  book.writestr(name, bytes(sheet) if name == "xl/worksheets/sheet2.xml" else part)
      """, path, "\(seed)",
    ])
    var outcomes = (read: 0, refused: 0)
    for number in 0..<200 {
      do {
        let found = try books.read("\(path).\(number).xlsx").documents
        // Whatever the hidden sheet says, the rows and the cells that need it not are as they are.
        #expect(found.map(\.path.id) == ["ana", "eva", "leo"], "seed \(seed), \(number)")
        #expect(found.last?.fields["b"] == .boolean(true), "seed \(seed), \(number)")
        outcomes.read += 1
      } catch let failure as Failure {
        #expect(failure.kind == .inputMalformed, "seed \(seed), \(number): \(failure)")
        outcomes.refused += 1
      }
    }
    #expect(outcomes.read > 10 && outcomes.refused > 10, "\(outcomes)")
  }

  @Test("Entries of nothing that is there are left alone; of several for a cell the first counts.")
  func foreignEntries() throws {
    let path = try people()
    try books.change(
      path,
      """
      exact.append(["orders", "nobody", "phone", "1", '{"integerValue":"1"}'])
      exact.append(["orders", "ana", "nothing", "1", '{"integerValue":"1"}'])
      exact.append(["users", "leo", "phone", "5533333333", '{"integerValue":"1"}'])
      exact.append(["orders", "ana", "phone", "5511111111", '{"integerValue":"2"}'])
      book.create_sheet("_exact (9)").append(["__name__", "n"])
      book["_exact (9)"].sheet_state = "hidden"
      exact.sheet_state = "visible"
      """
    )
    let found = try books.read(path).documents
    #expect(
      found.map { $0.fields["phone"] } == [
        .integer(5_511_111_111), .integer(5_522_222_222), .string("5533333333"),
      ]
    )
  }

  @Test("A collection of the hidden sheet's name is a collection.")
  func sameName() throws {
    let collection = try #require(CollectionPath("_exact"))
    let documents = [books.document("d1", ["x": .bytes([1, 2])], in: collection)]
    let path = try books.export(documents)
    #expect(try books.ask(path, "book.sheetnames") == ["_exact", "_exact (2)"])
    try books.expectSame(try books.read(path).documents, documents)
  }
}
