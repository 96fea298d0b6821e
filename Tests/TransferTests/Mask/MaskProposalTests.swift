import FirestoreModels
import Schema
import TestSupport
import Testing

@testable import Transfer

@Suite("Rules that are proposed") struct MaskProposalTests {
  private static let fields =
    FieldType.allCases.map { "type: \($0.rawValue)" }
    + ["[boolean, integer]", "[integer, string]", "[geopoint, vector]", "any"].map { "type: \($0)" }
    + ["email", "phone", "time", "date", "uuid", "{ pattern: \"A-[0-9]{3}\" }"].map {
      "type: string, format: \($0)"
    } + ["max: 10", "min: 3, max: 15", "min: 30", "min: 150"].map { "type: string, range: { \($0) }" }
    + ["type: string, format: email, range: { max: 25 }", "type: string, format: url, range: { max: 25 }"]

  private func mask(_ field: String, isUnique: Bool) throws -> Mask {
    let unique = isUnique ? "    unique: [f]\n" : ""
    let yaml = "schema: s\ncollections:\n  c:\n    mask: keep\n\(unique)    fields:\n      f: { \(field) }\n"
    return Mask(by: try SchemaReader.schema(parsing: yaml, path: "s.yaml"), key: MaskKey(MaskKey.random()))
  }

  private func proposals(_ mask: Mask) throws -> [String] {
    let collection = try #require(mask.schema.collections.first)
    let proposal = MaskProposal(schema: mask.schema)
    return mask.gaps(of: collection).map { gap in
      switch gap {
      case .field(let field): proposal.rule(of: field)
      case .unique(let collection, let fields): proposal.rule(ofUnique: fields[0], in: collection)
      default: "?"
      }
    }
  }

  @Test("What is proposed for a field is not refused after that, whatever rule it had.", arguments: fields)
  func taken(_ field: String) throws {
    for isUnique in [false, true] {
      for required in [", required: true", ""] {
        for rule in ["", ", mask: drop", ", mask: text", ", mask: date(year)"] {
          guard let mask = try? mask(field + required + rule, isUnique: isUnique) else { continue }
          for proposal in try proposals(mask) {
            let next = try self.mask("\(field)\(required), mask: \(proposal)", isUnique: isUnique)
            let again = try proposals(next)
            #expect(again.isEmpty, "\(field)\(required)\(rule): \(proposal)")
          }
        }
      }
    }
  }

  @Test(
    "A field that no other rule fits is kept, and what it is refused for is that it is required.",
    arguments: ["", ", mask: drop", ", mask: \"null\""]
  )
  func required(_ rule: String) throws {
    let mask = try mask("type: geopoint, required: true\(rule)", isUnique: false)
    #expect(try proposals(mask) == ["keep"])
    let failure = #expect(throws: Failure.self) { try mask.assertCovers([CollectionPath(nil, "c")]) }
    #expect(rule.isEmpty || failure?.cause.contains("leaves nothing of a required field") == true)
  }
}
