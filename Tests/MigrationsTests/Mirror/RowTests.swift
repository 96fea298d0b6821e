import FirestoreModels
import GymModels
import MigrationEngine
import Schema
import Tables
import TestSupport
import Testing

@testable import Mirror

@Suite("Rows of a mirror")
struct RowTests {
  private static func path(_ text: String) throws -> FieldPath { try FieldPath(parsing: text) }

  /// A table with a column of every type, some of them in maps.
  private static func table() throws -> TableLayout {
    let fields: [FieldSchema] = [
      FieldSchema(try path("text"), [.string]), FieldSchema(try path("whole"), [.integer]),
      FieldSchema(try path("number"), [.double]), FieldSchema(try path("truth"), [.boolean]),
      FieldSchema(try path("time"), [.timestamp]), FieldSchema(try path("list"), [.array]),
      FieldSchema(try path("anything")), FieldSchema(try path("map"), [.map]),
      FieldSchema(try path("map.inner"), [.string]), FieldSchema(try path("map.deep"), [.map]),
      FieldSchema(try path("map.deep.number"), [.integer]),
    ]
    return MirrorLayout([CollectionSchema(CollectionPath(nil, "things"), fields: fields)]).tables[0]
  }

  @Test("Cells are as the page on mirrors says.")
  func cells() throws {
    var cells = try SQLCells()
    let time = try #require(Timestamp("2026-01-31T18:00:00Z"))
    let expected: [(Value?, Column.ValueType, SQLCell)] = [
      (nil, .string, .null), (.null, .string, .null), (.string("Ana"), .string, .text("Ana")),
      (.string(""), .string, .text("")), (.integer(7), .string, .text(#"{"integerValue":"7"}"#)),
      (.integer(7), .integer, .integer(7)), (.integer(7), .double, .real(7)),
      (.double(1.5), .double, .real(1.5)), (.double(1.5), .integer, .text(#"{"doubleValue":1.5}"#)),
      (.double(.nan), .double, .text(#"{"doubleValue":"NaN"}"#)),
      (.string("7"), .integer, .text(#"{"stringValue":"7"}"#)),
      (.string("{x"), .string, .text(#"{"stringValue":"{x"}"#)),
      (.boolean(true), .boolean, .integer(1)), (.boolean(false), .boolean, .integer(0)),
      (.string("si"), .boolean, .text(#"{"stringValue":"si"}"#)),
      (.timestamp(time), .timestamp, .text("2026-01-31T18:00:00.000000Z")),
      (.array([.integer(1), .string("a")]), .array, .text(#"[1,"a"]"#)),
    ]
    for (value, type, cell) in expected {
      #expect(cells.cell(value, as: type) == cell, "\(String(describing: value)) as \(type)")
    }
    let short = try #require(Timestamp("2026-01-31T18:00:00.5Z"))
    let exact = try #require(Timestamp("2026-01-31T18:00:00.123456789Z"))
    #expect(SQLCells.text(of: short) == "2026-01-31T18:00:00.500000Z")
    #expect(SQLCells.text(of: exact) == "2026-01-31T18:00:00.123456789Z")
  }

  @Test("Every value comes back from its cell, in a column of any type.", arguments: 0..<8 as Range<UInt64>)
  func roundTrip(seed: UInt64) throws {
    var random = RandomDocuments(seed: seed, isStored: true)
    var cells = try SQLCells()
    for _ in 0..<2000 {
      let value = random.value(levels: 3)
      for type in Column.ValueType.allCases {
        let cell = cells.cell(value, as: type)
        let back = try cells.value(cell, as: type)
        switch (value, type) {
        case (.null, _): #expect(back == nil)
        case (.integer(let number), .double):
          // SQL keeps it as a number; the document beside it is exact.
          #expect(back == .double(Double(number)))
        default: #expect(back == value, "\(value) as \(type): \(cell)")
        }
      }
    }
  }

  @Test("Cells and the rest make the document again, but for empty maps.", arguments: 0..<4 as Range<UInt64>)
  func images(seed: UInt64) throws {
    let table = try Self.table()
    var random = RandomDocuments(seed: seed, isStored: true)
    var generator = SplitMix64(seed: seed)
    var cells = try SQLCells()
    for _ in 0..<2000 {
      var fields = random.fields(levels: 2)
      for name in ["text", "whole", "number", "truth", "time", "list", "anything", "map"]
      where Bool.random(using: &generator) { fields[name] = random.value(levels: 2) }
      if Bool.random(using: &generator) {
        fields[try Self.path("map.inner")] = random.value(levels: 1)
        fields[try Self.path("map.deep.number")] = random.value(levels: 1)
        fields[try Self.path("map.unknown")] = random.value(levels: 1)
      }
      let image = RowImage(fields, in: table, &cells)
      var again = image.other
      for (cell, column) in zip(image.cells, table.columns) {
        if let value = try cells.value(cell, as: column.type) { again[column.field] = value }
      }
      // An integer in the column of doubles is a double there.
      if case .integer(let number)? = fields["number"] { fields["number"] = .double(Double(number)) }
      #expect(again == fields)
    }
  }

  // MARK: Edits

  private func decide(
    _ fields: FieldMap?,
    in collection: String = "products",
    movedFrom origin: FieldMap? = nil,
    _ edit: (inout [String: SQLCell]) -> Void
  ) throws -> RowEdit.Decision {
    let schema = try #require(GymSchema.schema.collection(CollectionPath(nil, collection)))
    let table = try #require(MirrorLayout(GymSchema.schema.collections).table(of: schema.pattern))
    let path = DocumentPath(schema.pattern, "A0F1C8E2-5A0B-4D53-9C8A-0D5B2C7E1F11")
    var cells = try SQLCells()
    let image = RowImage(fields ?? origin ?? FieldMap(), in: table, &cells)
    var row = Dictionary(uniqueKeysWithValues: zip(table.columns.map(\.name), image.cells))
    row["_other"] = .null
    if !image.other.isEmpty {
      var json = JSONWriter()
      json.fields(image.other)
      row["_other"] = .text(String(decoding: json.bytes, as: UTF8.self))
    }
    edit(&row)
    let edited = table.columns.map { row[$0.name] ?? .null } + [row["_other"] ?? .null]
    let document = fields.map { RawDocument(path: path, fields: $0) }
    return try RowEdit(path, table, schema).decide(
      document,
      row["_gone"] == nil ? edited : nil,
      movedFrom: origin.map { RawDocument(path: DocumentPath(schema.pattern, "former"), fields: $0) }
    )
  }

  private static func time(_ seconds: Int64) -> Value {
    Timestamp(seconds: seconds).map { .timestamp($0) } ?? .null
  }

  private static let product: FieldMap = [
    "id": .string("A0F1C8E2-5A0B-4D53-9C8A-0D5B2C7E1F11"), "name": .string("Agua"),
    "category": .string("beverages"), "price": .double(15), "costPrice": .integer(8),
    "currency": .string("MXN"), "stock": .integer(4), "isActive": .boolean(true), "note": .string("new"),
    "sku": .null, "createdAt": time(1),
    "updatedAt": time(2),
  ]

  @Test("A cell that is changed changes its field alone; what is not, keeps its type.")
  func change() throws {
    guard case .change(let after?, let times) = try decide(Self.product, { $0["stock"] = .integer(12) })
    else {
      Issue.record("no change")
      return
    }
    var expected = Self.product
    expected["stock"] = .integer(12)
    expected["updatedAt"] = nil
    #expect(after == expected)
    #expect(times == [FieldPath(field: "updatedAt")])
  }

  @Test("An untouched row changes nothing.")
  func untouched() throws {
    guard case .unchanged = try decide(Self.product, { _ in }) else {
      Issue.record("a change")
      return
    }
  }

  @Test("NULL removes a field, and the rest may be edited, too.")
  func removal() throws {
    let decision = try decide(Self.product) {
      $0["stock"] = .integer(4)
      $0["description"] = .text("fría")
      $0["_other"] = .text(#"{"note":{"stringValue":"old"}}"#)
    }
    guard case .change(let after?, _) = decision else {
      Issue.record("no change")
      return
    }
    #expect(after["note"] == .string("old"))
    #expect(after["sku"] == nil)
    #expect(after["description"] == .string("fría"))
    #expect(after["costPrice"] == .integer(8))
  }

  @Test("A row that is gone deletes; one that is new creates, with its id and the service's times.")
  func rows() throws {
    guard case .change(nil, let none) = try decide(Self.product, { $0["_gone"] = .null }) else {
      Issue.record("no deletion")
      return
    }
    #expect(none == [])
    let decision = try decide(nil) {
      $0["name"] = .text("Agua")
      $0["category"] = .text("beverages")
      $0["price"] = .real(15)
      $0["cost_price"] = .real(8)
      $0["currency"] = .text("MXN")
      $0["stock"] = .integer(1)
      $0["is_active"] = .integer(1)
    }
    guard case .change(let after?, let times) = decision else {
      Issue.record("no creation: \(decision)")
      return
    }
    #expect(after["id"] == Self.product["id"])
    #expect(times == ["createdAt", "updatedAt"].map { FieldPath(field: $0) })
  }

  @Test(
    "A row with another ID has the values of the document that it was pulled as, but for edited cells and times."
  )
  func moved() throws {
    var origin = Self.product
    (origin["note"], origin["sku"]) = (nil, nil)
    let decision = try decide(nil, movedFrom: origin) { $0["stock"] = .integer(12) }
    guard case .change(let after?, let times) = decision else {
      Issue.record("no creation: \(decision)")
      return
    }
    var expected = origin
    (expected["stock"], expected["createdAt"], expected["updatedAt"]) = (.integer(12), nil, nil)
    #expect(after == expected)
    #expect(times == ["createdAt", "updatedAt"].map { FieldPath(field: $0) })
  }

  @Test("What must not be written is refused with its code.")
  func refusals() throws {
    func code(_ decision: RowEdit.Decision) -> String? {
      if case .refused(let finding) = decision { finding.code } else { nil }
    }
    #expect(code(try decide(Self.product) { $0["stock"] = .text("many") }) == "not-a-value")
    #expect(code(try decide(Self.product) { $0["_other"] = .text("{") }) == "not-a-value")
    #expect(code(try decide(Self.product) { $0["_other"] = .integer(1) }) == "not-a-value")
    #expect(
      code(try decide(Self.product) { $0["updated_at"] = .text("2026-01-31T18:00:00Z") }) == "server-time"
    )
    #expect(code(try decide(Self.product) { $0["category"] = .text("drinks") }) != nil)
    let paid: FieldMap = ["status": .string("completed"), "amount": .double(10)]
    #expect(code(try decide(paid, in: "payments") { $0["amount"] = .real(1) }) == "immutable")
    #expect(code(try decide(paid, in: "payments") { $0["_gone"] = .null }) == "immutable")
  }

  @Test("`_other` gives no value to a field whose column has one, and bytes are no value of any column.")
  func clashes() throws {
    func field(_ edit: (inout [String: SQLCell]) -> Void) throws -> String? {
      guard case .refused(let finding) = try decide(Self.product, edit), finding.code == "not-a-value" else {
        return nil
      }
      return finding.field
    }
    #expect(try field { $0["_other"] = .text(#"{"name":{"stringValue":"hidden"}}"#) } == "name")
    for column in ["name", "stock", "is_active", "price_history"] {
      #expect(try field { $0[column] = .unreadable } != nil, "\(column)")
    }
    // The null that a cell replaced may stay or go.
    for other in [
      #"{"note":{"stringValue":"new"},"sku":{"nullValue":null}}"#, #"{"note":{"stringValue":"new"}}"#,
    ] {
      let decision = try decide(Self.product) {
        $0["sku"] = .text("AGUA")
        $0["_other"] = .text(other)
      }
      guard case .change(let after?, _) = decision else {
        Issue.record("no change: \(decision)")
        continue
      }
      #expect(after["sku"] == .string("AGUA"))
    }
  }

  @Test("Times may be written as SQLite writes them.")
  func times() throws {
    let cells = try SQLCells()
    let time = try #require(Timestamp("2026-01-31T18:00:00Z"))
    #expect(try cells.value(.text("2026-01-31 18:00:00"), as: .timestamp) == .timestamp(time))
    #expect(try cells.value(.text("2026-01-31T12:00:00-06:00"), as: .timestamp) == .timestamp(time))
    #expect(throws: CellError.self) { try cells.value(.text("2026-01-31"), as: .timestamp) }
    #expect(throws: CellError.self) { try cells.value(.integer(2), as: .boolean) }
  }
}
