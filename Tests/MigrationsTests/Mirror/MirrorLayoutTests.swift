import FirestoreModels
import GymModels
import GymReports
import Schema
import TestSupport
import Testing

@testable import Mirror

@Suite("Tables of a mirror")
struct MirrorLayoutTests {
  @Test(
    "Names in snake case",
    arguments: [
      ("classAttendance", "class_attendance"), ("photoURL", "photo_url"), ("URLOfPhoto", "url_of_photo"),
      ("check_ins", "check_ins"), ("id", "id"), ("A", "a"), ("2024", "_2024"), ("año nuevo", "ano_nuevo"),
      ("años", "anos"), ("an\u{303}os", "anos"), ("Teléfono", "telefono"),
      ("CóDIGO", "co_digo"), ("straße", "strasse"), ("ŁódźURL", "lodz_url"), ("日本", "日本"), ("Имя 2", "Имя_2"),
      ("número №", "numero"),
      ("--", "column"), ("a__b", "a_b"), ("isActive2", "is_active2"),
    ]
  )
  func snakeCase(name: String, expected: String) {
    #expect(SQLName.snakeCase(name) == expected)
  }

  @Test("Names and texts are quoted as SQL has it.")
  func quoting() {
    #expect(SQLName.quoted("a\"b") == "\"a\"\"b\"")
    #expect(SQLName.literal("it's") == "'it''s'")
    // A quotation mark and a combining mark are one Character.
    #expect(Array(SQLName.quoted("a\"\u{301}").utf8) == Array("\"a\"\"\u{301}\"".utf8))
    #expect(Array(SQLName.literal("'\u{301}").utf8) == Array("'''\u{301}'".utf8))
  }

  @Test("The gym's tables have the names and the columns of the domain page.")
  func gym() throws {
    let layout = MirrorLayout(GymSchema.schema.collections)
    func table(_ path: String) throws -> TableLayout {
      try #require(layout.table(of: CollectionPath(path) ?? CollectionPath(nil, "none")))
    }
    #expect(try table("classAttendance").name == "class_attendance")
    #expect(try table("groups/g1/members").name == "groups_members")
    #expect(try table("groups/g1/members").parents == ["groups_id"])
    let members = try table("members")
    #expect(members.columns.map(\.name).contains("membership_plan_snapshot_plan_name"))
    let plan = try #require(members.columns.first { $0.name == "membership_plan_id" })
    #expect(plan.reference == CollectionPath("membership_plans"))
    let names = layout.tables.map(\.name)
    #expect(Set(names).count == names.count)
    for table in layout.tables {
      let columns = table.columns.map(\.name) + table.parents + ["_id", "_other"]
      #expect(Set(columns.map { $0.lowercased() }).count == columns.count, "\(table.name)")
    }
  }

  @Test("Collections that SQL cannot distinguish, or whose names the file needs, get names of their own.")
  func collisions() throws {
    let paths = ["userData", "user_data", "UserData", "documents", "a/*/b", "a_b"]
    let layout = MirrorLayout(paths.compactMap { CollectionPath($0) }.map { CollectionSchema($0) })
    #expect(
      layout.tables.map(\.name) == ["user_data", "user_data_2", "user_data_3", "documents_2", "a_b", "a_b_2"]
    )
    let fields = ["_id", "name", "Name", "na.me"].map { FieldSchema(FieldPath(field: $0), [.string]) }
    let table = MirrorLayout([CollectionSchema(CollectionPath(nil, "c"), fields: fields)]).tables[0]
    #expect(table.columns.map(\.name) == ["id", "name", "name_2", "na_me"])
  }

  @Test("Elements that the schema declares have a table, whose name moves no other.")
  func elements() throws {
    let schema = try SchemaReader.schema(
      parsing: """
        schema: shop
        collections:
          orders/*/items:
            fields:
              tags: { type: array, elements: { type: string, reference: tags } }
              sizes:
                type: array
                elements: { type: map, fields: { position: integer, a: { type: map, fields: { b: double } }, itemsId: string } }
              free: array
          tags: { fields: { name: string } }
          orders_items_tags: { fields: { name: string } }
        """,
      path: "s.yaml"
    )
    let layout = MirrorLayout(schema.collections)
    #expect(layout.tables.map(\.name) == ["orders_items", "tags", "orders_items_tags_2"])
    let tables = layout.tables[0].elementTables
    #expect(tables.map(\.name) == ["orders_items_tags", "orders_items_sizes"])
    #expect(tables.map(\.documentIDs) == [["orders_id", "items_id"], ["orders_id", "items_id"]])
    #expect(tables[0].columns.map(\.name) == ["value"])
    #expect(tables[0].columns[0].reference?.string == "tags")
    #expect(tables[1].columns.map(\.name) == ["position_2", "a_b", "items_id_2"])
  }

  @Test("The views of the gym have names, and one SELECT each.")
  func views() {
    let expected = [
      "local_payments", "income_by_month", "expenses_by_month", "check_ins_by_day", "members_by_status",
      "memberships_that_end", "low_stock",
    ]
    #expect(GymViews.all.map(\.name) == expected)
    #expect(GymViews.all.allSatisfy { $0.query.hasPrefix("SELECT") })
  }

  @Test("A pull reads by the mark only where there is one, a field for it, and a document with a time in it.")
  func modes() throws {
    let users = GymSchema.schema.changeTime(of: CollectionPath(nil, "users"))
    let attendance = GymSchema.schema.changeTime(of: CollectionPath(nil, "classAttendance"))
    let unknown = GymSchema.schema.changeTime(of: CollectionPath(nil, "notes"))
    let mark = try #require(Timestamp("2026-01-31T18:00:00Z"))
    func mode(
      _ field: FieldPath?,
      _ mark: Timestamp?,
      former: FieldPath? = nil,
      hasTimes: Bool = true,
      isFull: Bool = false
    ) -> PullMode {
      PullMode(field, former: former ?? field, mark: mark, hasTimes: hasTimes, isFull: isFull)
    }
    #expect(mode(users, mark) == .since(FieldPath(field: "updatedAt"), mark))
    #expect(mode(unknown, mark) == .since(FieldPath(field: "updatedAt"), mark))
    #expect(mode(users, nil) == .whole)
    #expect(mode(users, mark, former: FieldPath(field: "modified")) == .whole)
    #expect(mode(users, mark, hasTimes: false) == .whole)
    #expect(mode(users, mark, isFull: true) == .whole)
    #expect(mode(attendance, mark) == .whole)
    let moment = try #require(Timestamp("2026-01-31T18:00:00.123987Z"))
    #expect(PullMode.mark(readTime: moment, overlap: 600) == Timestamp("2026-01-31T17:50:00.123Z"))
  }
}
