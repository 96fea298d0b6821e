import FirestoreModels
import Foundation
import GymModels
import Schema
import TestSupport
import Testing

@testable import MigrationEngine

@Suite struct MigrationLintTests {
  private static let schema = """
    schema: shop
    collections:
      orders:
        ordered-by: [at]
        filtered-by: [state]
        decoding: strict
        fields:
          at: { type: timestamp }
          state: {type: string}
          total: {type: double, required: true}
          note: {type: string}
    """

  private func findings(_ text: String, _ header: MigrationHeader = MigrationHeader()) throws -> [String] {
    let schema = try SchemaReader.schema(parsing: Self.schema, path: "shop.yaml")
    let migration = try MigrationFile(
      "m.yaml",
      in: LiteralContext(database: DatabaseName(project: "p")),
      reservedIDs: [],
      schema: schema
    ).parse(Array("id: m\nsummary: S.\n\(text)".utf8))
    return MigrationLint.findings(in: migration, header).map { finding in
      finding.code.rawValue + (finding.field.map { " \($0)" } ?? "")
    }
  }

  @Test(
    "Each rule finds what it is about, and nothing beside it.",
    arguments: [
      ("collection: orders\nsteps: [{delete: soft}]", ["unbounded-delete"]),
      ("collection: orders\nsteps: [{delete: hard}]", ["unbounded-delete", "not-undone"]),
      ("collection: orders\nwhere: note == old\nsteps: [{delete: soft}]", []),
      ("collection: orders\nsteps: [{unset: note}]", ["unbounded-removal note"]),
      ("collection: orders\nwhere: note == old\nsteps: [{unset: note}]", []),
      (
        "collection: orders\nwhere: note == old\nsteps: [{unset: [at, state, total, other]}]",
        ["field-still-read at", "field-still-read state", "field-still-read total"]
      ),
      ("collection: orders\nsteps: [{move: {from: note, to: remark}}]", ["rename-at-once note"]),
      (
        "collection: orders\nsteps: [{move: {from: at, to: when}}]",
        ["rename-at-once at", "field-still-read at"]
      ),
      ("collection: orders\nsteps: [{move: {from: old, to: remark}}, {copy: {from: note, to: old}}]", []),
      ("collection: orders\nwhere: note == a and state in [b, c]\nsteps: [{trim: note}]", []),
      ("collection: orders\nwhere: total > 1 and total < 9\nsteps: [{trim: note}]", []),
      ("collection: orders\nwhere: total > 1 and note == a\nsteps: [{trim: note}]", ["needs-index"]),
      ("collection: orders\nwhere: total > 1 or note == a\nsteps: [{trim: note}]", []),
      (
        "collection: orders\nwhere: [total > 1 or note == a, state != b]\nsteps: [{trim: note}]",
        ["needs-index"]
      ),
      ("collection-group: orders\nwhere: note == a\nsteps: [{trim: note}]", ["needs-index"]),
      ("collection-group: orders\nsteps: [{trim: note}]", []),
      ("collection: shops/*/orders\nwhere: total > 1 and note == a\nsteps: [{trim: note}]", []),
    ] as [(String, [String])]
  )
  func rules(_ text: String, _ expected: [String]) throws {
    #expect(try findings(text) == expected)
  }

  @Test("One that says why it is irreversible need not be undone.")
  func irreversible() throws {
    var header = MigrationHeader()
    header.irreversible = "They are nobody's."
    #expect(try findings("collection: orders\nwhere: note == x\nsteps: [{delete: hard}]", header) == [])
  }
}
