import FirestoreModels
import Schema
import Testing

@testable import FirestoreREST
@testable import Transfer

@Suite("What a list of rejects has of a document that was to be written")
struct ListedDocumentsTests {
  private static let path = DocumentPath(CollectionPath(nil, "c"), "a")
  private static let document = RawDocument(path: path, fields: ["n": .integer(1)])

  private func decision(_ mode: WriteMode) -> LoadDecision {
    LoadDecision(mode: mode, times: .kept, schema: .none)
  }

  @Test("Defaults are written and not listed.", arguments: WriteMode.allCases)
  func defaults(_ mode: WriteMode) {
    var decision = decision(mode)
    decision.completing = { document, isNew in
      if mode == .merge, !isNew { return document }
      var document = document
      document.fields["tier"] = document.fields["tier"] ?? .string("basic")
      return document
    }
    var stored = Self.document
    (stored.fields["n"], stored.fields["tier"]) = (.integer(2), .string("gold"))
    let filled: FieldMap = ["n": .integer(1), "tier": .string("basic")]
    for current in [stored, nil] {
      let isMerged = mode == .merge && current != nil
      switch decision.decide(.decoded(Self.document), current: current) {
      case .change(let change):
        #expect(change.after == (isMerged ? ["n": .integer(1), "tier": .string("gold")] : filled))
      case .rejected: #expect(current == nil ? mode == .replace : mode == .create)
      case .unchanged: Issue.record("it is not the same")
      }
    }
    #expect(decision.listed(.decoded(Self.document)) == Self.document)
  }

  @Test("A deletion has no document, because one without fields would empty the document that is there.")
  func deletion() {
    #expect(decision(.upsert).listed(LoadDocument(.absent(Self.path))) == nil)
  }

  @Test("A document that lacks fields that could not be used is listed elsewhere, with all of them.")
  func skippedFields() {
    var decision = decision(.upsert)
    let skipped = SkippedFields()
    decision.skipped = skipped
    #expect(decision.listed(.decoded(Self.document)) == Self.document)
    skipped.add([FieldPath(field: "t")], of: Self.path)
    #expect(decision.listed(.decoded(Self.document)) == nil)
    let stored = RawDocument(path: Self.path, fields: ["t": .string("x"), "u": .null])
    guard case .change(let change) = decision.decide(.decoded(Self.document), current: stored) else {
      Issue.record("it is to be written")
      return
    }
    #expect(change.after == ["n": .integer(1), "t": .string("x")])
  }

  @Test("The version that a document depends on is listed, and that of a copied document is not.")
  func updateTimes() {
    var document = Self.document
    document.updateTime = Timestamp(seconds: 5)
    var decision = decision(.upsert)
    #expect(decision.listed(.decoded(document))?.updateTime == nil)
    decision.heedsTimes = true
    #expect(decision.listed(.decoded(document))?.updateTime == Timestamp(seconds: 5))
  }
}
