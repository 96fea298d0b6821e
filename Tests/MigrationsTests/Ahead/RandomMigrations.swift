import FirestoreModels
import FirestoreREST
import Schema
import TestSupport

@testable import MigrationEngine

/// Documents of a few collections, and files of migrations over them, from a seed.
struct RandomMigrations {
  private var random: SplitMix64
  let database = DatabaseName(project: "test-project")

  init(seed: UInt64) { random = SplitMix64(seed: seed) }

  mutating func pick(_ texts: [String]) -> String { texts.randomElement(using: &random) ?? "" }

  mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

  /// The same documents at the same times, as often as it is called.
  mutating func documents() -> [(name: String, fields: String)] {
    ["a", "b", "c", "d", "a/1/s", "a/2/s", "b/1/s"].flatMap { collection in
      (0..<number(0...14)).map { id in
        let text = pick([" X ", "x", "Y y", "7"])
        var fields = [#""n":{"integerValue":"\#(number(0...3))"}"#, #""t":{"stringValue":"\#(text)"}"#]
        if random.chance(percent: 30) { fields.append(#""m":{"booleanValue":true}"#) }
        if random.chance(percent: 10) { fields[1] = #""t":{"integerValue":"1"}"# }
        return ("\(collection)/\(id)", "{\(fields.joined(separator: ","))}")
      }
    }
  }

  /// A few migrations, of which many concern each other.
  mutating func sources(guardedBy client: FirestoreClient) throws -> [ChangeSource] {
    try (0..<number(2...7)).map { index in
      let file = file(index)
      let migration = try MigrationFile(
        "m\(index).yaml",
        in: LiteralContext(database: database),
        reservedIDs: [],
        schema: .none
      ).parse(Array(file.utf8))
      return ChangeSource.migration(migration).guarded(by: client)
    }
  }

  private mutating func file(_ index: Int) -> String {
    let place = pick([
      "collection: a", "collection: b", "collection: c", "collection: d", "collection: a/1/s",
      "collection: a/*/s", "collection-group: s",
    ])
    let filter = pick([
      "", "", "", "where: n == 1", "where: t == x", "where: n == 1 or n == 2", "where: n > 1",
    ])
    let some = [
      "set: {n: \(number(0...3))}", "set: {t: x}", "set-if-missing: {m: false}", "unset: m", "trim: t",
      "lower: t", "copy: {from: n, to: k}", "set: {k: 1}", "digits: t",
    ]
    var steps = [pick(some)]
    if random.chance(percent: 40) { steps.append(pick(some)) }
    if random.chance(percent: 8) { steps = ["delete: hard"] }
    let head = "id: m\(index)\nsummary: Does \(index).\n\(place)\n\(filter)\ntouch: false\nsteps:\n"
    return head + steps.map { "  - \($0)\n" }.joined()
  }
}
