import FirestoreModels
import TestSupport
import Testing

@Suite("Edits of fields")
struct FieldEditTests {
  @Test func anEditIsWhatItSetsAndRemovesOneByOne() {
    for seed in UInt64(1)...300 {
      var random = SplitMix64(seed: seed)
      let map = someMap(&random)
      var edit = FieldEdit()
      var expected = map
      for entry in someMap(&random).entries {
        let value = Bool.random(using: &random) ? entry.value : nil
        edit.set(entry.name, to: value)
        expected[entry.name] = value
      }
      // Of duplicate names the last wins.
      if let name = edit.members.randomElement(using: &random)?.name {
        edit.set(name, to: .boolean(true))
        expected[name] = .boolean(true)
      }
      #expect(map.applying(edit) == expected, "seed \(seed)")
    }
  }

  @Test func membersAreInTheOrderOfBytes() {
    // Canonically equivalent names are distinct; in UTF-16 order the last two would be swapped.
    let edit: FieldEdit = [
      "\u{1F600}": nil, "b": .null, "é": .null, "e\u{301}": .null, "": nil, "b\0": .null, "\u{FFFD}": .null,
    ]
    #expect(
      edit.members.map(\.name.debugDescription)
        == ["", "b", "b\0", "e\u{301}", "é", "\u{FFFD}", "\u{1F600}"].map(\.debugDescription)
    )
  }

  @Test func whatMakesOneMapOfAnotherNamesWhatDiffersAndNothingElse() {
    for seed in UInt64(1)...300 {
      var random = SplitMix64(seed: seed)
      let before = someMap(&random)
      let after = someMap(&random)
      let edit = FieldEdit(from: before, to: after)
      #expect(before.applying(edit) == after, "seed \(seed)")
      let names = Set((before.entries + after.entries).map { UTF8Key($0.name) })
      let different = names.filter { before[$0.string] != after[$0.string] }
      #expect(edit.members.map { UTF8Key($0.name) } == different.sorted(), "seed \(seed)")
    }
  }

  private func someMap(_ random: inout SplitMix64) -> FieldMap {
    var map = FieldMap()
    for _ in 0..<Int.random(in: 0...12, using: &random) {
      let stem = String(repeating: "k", count: .random(in: 0...9, using: &random))
      let end = ["", "a", "é", "\0"].randomElement(using: &random) ?? ""
      map[stem + end] = .integer(.random(in: 0...9, using: &random))
    }
    return map
  }
}
