import FirestoreModels
import Foundation
import TestSupport
import Testing

@Suite("Changes as JSON", .bothParsers)
struct ChangeCodingTests {
  /// Members common to `after` and `before` are written once and copied; both must be as if written alone.
  @Test func beforeAndAfterAreWhatTheyAreAlone() throws {
    for seed in UInt64(1)...60 {
      var random = RandomDocuments(seed: seed)
      var dice = SplitMix64(seed: seed)
      for round in 0..<20 {
        let before = random.document()
        var after = before.fields
        for entry in before.fields.entries where Int.random(in: 0..<4, using: &dice) == 0 {
          after[entry.name] = Bool.random(using: &dice) ? nil : random.value(levels: 2)
        }
        for entry in random.fields(levels: 1).entries where Bool.random(using: &dice) {
          after[entry.name] = entry.value
        }
        if round == 0 { after = FieldMap() }
        if round == 1 { after = before.fields }
        var change = Change(path: before.path, before: before, after: after)
        change.input = round
        let text = Self.members(of: change)
        let alone = #"{"after":\#(Self.text(after)),"before":\#(Self.text(before.fields)),"#
        #expect(text.utf8.starts(with: alone.utf8), "seed \(seed), round \(round)")
        let parser = JSONParser()
        var decoder = WireDecoder()
        let read = try parser.parse(Array(text.utf8)) { json throws(WireError) in try decoder.change(json) }
        #expect(read == change, "seed \(seed), round \(round)")
      }
    }
  }

  @Test(arguments: [nil, [:], ["a": .integer(1)]] as [FieldMap?], [nil, [:], ["a": .null]] as [FieldMap?])
  func whatIsNotThereIsNotWritten(_ before: FieldMap?, _ after: FieldMap?) throws {
    let path = try #require(DocumentPath("c/d"))
    let change = Change(path: path, before: before.map { RawDocument(path: path, fields: $0) }, after: after)
    let text = Self.members(of: change)
    #expect(text.contains(#""before":"#) == (before != nil))
    #expect(text.contains(#""after":"#) == (after != nil))
    #expect(!text.contains(#""input":"#))
    let parser = JSONParser()
    var decoder = WireDecoder()
    let read = try parser.parse(Array(text.utf8)) { json throws(WireError) in try decoder.change(json) }
    #expect(read == change)
  }

  /// Redundant members of an edit do not change the output.
  @Test func aChangeOfSomeFieldsIsWrittenAsOneOfAll() throws {
    for seed in UInt64(1)...60 {
      var random = RandomDocuments(seed: seed)
      var dice = SplitMix64(seed: seed)
      for round in 0..<20 {
        let before = random.document()
        var edit = FieldEdit()
        for entry in before.fields.entries where Int.random(in: 0..<4, using: &dice) == 0 {
          edit.set(
            entry.name,
            to: [entry.value, nil, random.value(levels: 2)].randomElement(using: &dice) ?? nil
          )
        }
        for entry in random.fields(levels: 1).entries {
          edit.set(entry.name, to: Bool.random(using: &dice) ? entry.value : nil)
        }
        let change = Change(of: before, edit)
        let whole = Change(path: before.path, before: before, after: before.fields.applying(edit))
        #expect(change == whole, "seed \(seed), round \(round)")
        #expect(change.write == whole.write, "seed \(seed), round \(round)")
        #expect(Self.members(of: change) == Self.members(of: whole), "seed \(seed), round \(round)")
      }
    }
  }

  private static func members(of change: Change) -> String {
    var json = JSONWriter()
    json.object { $0.members(of: change) }
    return String(decoding: json.bytes, as: UTF8.self)
  }

  private static func text(_ fields: FieldMap) -> String {
    var json = JSONWriter()
    json.fields(fields)
    return String(decoding: json.bytes, as: UTF8.self)
  }
}
