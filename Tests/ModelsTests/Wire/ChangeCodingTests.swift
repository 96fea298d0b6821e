import Foundation
import Models
import TestSupport
import Testing

@Suite("Changes as JSON")
struct ChangeCodingTests {
  /// What `after` and `before` share is written once and copied; each has to be what it is by itself.
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
        let change = Change(path: before.path, before: before, after: after)
        var json = JSONWriter()
        json.object { $0.members(of: change) }
        let text = String(decoding: json.bytes, as: UTF8.self)
        let alone = #"{"after":\#(Self.text(after)),"before":\#(Self.text(before.fields)),"#
        #expect(text.utf8.starts(with: alone.utf8), "seed \(seed), round \(round)")
        let parser = JSONParser()
        var decoder = WireDecoder()
        let read = try parser.parse(json.bytes) { json throws(WireError) in try decoder.change(json) }
        #expect(read == change, "seed \(seed), round \(round)")
      }
    }
  }

  private static func text(_ fields: FieldMap) -> String {
    var json = JSONWriter()
    json.fields(fields)
    return String(decoding: json.bytes, as: UTF8.self)
  }
}
