import FirestoreModels
import RunSupport
import Schema
import TestSupport
import Testing

@testable import Runs
@testable import Tables
@testable import Transfer

@Suite("A list of rejected rows says what neither its cells nor options say of the table of the rows")
struct RejectOriginTests {
  private static let schema = """
    schema: club
    collections:
      members:
        import: { "null": nada, decimal-comma: true, skip-columns: [2], header-row: 2, id-column: id }
        fields: { fee: double }
    """

  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  /// The fields of the documents of a list.
  private func read(_ text: String, _ change: (inout ImportJob) -> Void = { _ in }) throws -> [FieldMap] {
    var job = ImportJob(files: [try folder.write(Array(text.utf8), to: "rejects.csv")])
    job.collection = CollectionPath("members")
    change(&job)
    let options = try job.options(SchemaReader.schema(parsing: Self.schema, path: "club.yaml"), via: .local)
    let inputs = try ImportInputs(options, progress: .silent())
    let input = try #require(try inputs.open(0))
    var fields: [FieldMap] = []
    while let row = try input.next() {
      if let fault = row.faults.first { throw fault.failure }
      fields.append(try #require(row.document).fields)
    }
    return fields
  }

  @Test(
    "Whatever a table is like, the heading says so in ASCII without a delimiter",
    arguments: ["NULL", "", "a b", "ñ;,|\t=\"", "__", "Año 1", ".", "語"]
  )
  func heading(text: String) throws {
    var origin = RejectOrigin()
    (origin.writing.nullText, origin.writing.schema) = (text, text)
    (origin.writing.timeZone, origin.writing.usesDecimalComma) = ("America/Mexico_City", true)
    origin.database = DatabaseName(project: "p", database: "(default)")
    (origin.sheet, origin.lacksSkipped) = (.init(text, number: 12), true)
    let heading = origin.heading
    #expect(RejectOrigin(heading: heading) == origin)
    #expect(heading.utf8.allSatisfy { (0x20..<0x7F).contains($0) && !";,|\"".utf8.contains($0) })
  }

  @Test("The heading of a list of an earlier version, or of a later one, is that of a list")
  func headings() {
    #expect(RejectOrigin().heading == "__reason__" && RejectOrigin(heading: "__reason__") == RejectOrigin())
    #expect(RejectOrigin(heading: "__reason__ gymmigrate.other.1 note") == RejectOrigin())
    var sheet = RejectOrigin()
    sheet.sheet = .init("a", number: 10_000)
    #expect(RejectOrigin(heading: "__reason__ gymmigrate.number.99999999999 gymmigrate.sheet.a") == sheet)
    for other in ["__raw__", "reason", "__reason__s", ""] { #expect(RejectOrigin(heading: other) == nil) }
  }

  @Test("What the schema says of people's files does not hold for a list of an export, and an option does")
  func exports() throws {
    let list = "__name__,a,b,fee,__reason__ gymmigrate.null.NULL\nm1,NULL,null,1.5,bad\n"
    #expect(try read(list) == [["a": .null, "b": .string("null"), "fee": .double(1.5)]])
    #expect(
      try read(list) { $0.reading.nullText = "null" } == [
        ["a": .string("NULL"), "b": .null, "fee": .double(1.5)]
      ]
    )
  }

  @Test("Columns that an option skips are not in the list, so that its numbers mean none")
  func skipped() throws {
    let list = "id,fee,__reason__ gymmigrate.skipped.1,u\nm1,\"2,5\",bad,x\n"
    #expect(try read(list) == [["fee": .double(2.5), "u": .string("x")]])
    #expect(try read(list) { $0.reading.skippedColumns = [4] } == [["fee": .double(2.5), "u": .string("x")]])
    // An earlier version has them.
    #expect(try read(list.replacing(" gymmigrate.skipped.1", with: "")) == [["u": .string("x")]])
  }

  @Test("The sheet of the rows takes its options and its collection, and others may be named beside it")
  func sheets() throws {
    let text = "k,n:integer,__reason__ gymmigrate.sheet.Hoja_202 gymmigrate.number.2\na,5,bad\n"
    let path = try folder.write(Array(text.utf8), to: "rejects-2.csv")
    for sheets in [["Hoja 1=h1", "Hoja 2=h2"], ["2=h2", "3=h3"]] {
      let sources = try ImportSource.resolve([path], sheets: sheets, schema: .none)
      #expect(sources.map(\.collection?.string) == ["h2"])
    }
    #expect(throws: Failure.self) {
      try ImportSource.resolve([path], sheets: ["Hoja 1=h1"], schema: .none)
    }
    let found = try read(text) { job in
      (job.sheets, job.idColumns) = (["Hoja 1", "Hoja 2"], ["id", "Hoja 1=other", "Hoja 2=k"])
      job.collection = CollectionPath("others")
      job.reading.sheetRows = [SheetOption(sheet: "Hoja 1", value: 7)]
      job.reading.types = HeadingOption.list(parsing: "junk=text") ?? []
    }
    #expect(found == [["k": .string("a"), "n": .integer(5)]])
  }
}
