import FirestoreModels
import GymModels
import TestSupport
import Testing

@testable import GymMigrations

@Suite struct UsersUnifyPropertyTests {
  /// A user of random eras, with the mess of real data but for wrong types.
  private static func user(_ random: inout SplitMix64) -> FieldMap {
    let words = [
      "Ana", "ANA", "ana", "María", "Maria\u{301}", "López", "lopez", "Ruiz", "Pérez", "de", "la", "San", "y",
      "Ñ",
    ]
    func text(_ lengths: ClosedRange<Int>) -> Value {
      let count = Int.random(in: lengths, using: &random)
      let space = random.pick([" ", "  ", "\u{A0}", "\t"])
      let inner = (0..<count).map { _ in random.pick(words) }.joined(separator: space)
      return .string(random.chance(4) ? " \(inner)\n" : inner)
    }
    var fields = FieldMap()
    for field in UserField.allCases where !random.chance(2) {
      if random.chance(8) {
        fields[field.rawValue] = .null
      } else if field.isBoolean {
        fields[field.rawValue] = .boolean(random.chance(2))
      } else {
        fields[field.rawValue] = text(field == .fullName ? 0...5 : 0...2)
      }
    }
    fields["updatedAt"] = .integer(1)
    fields["fechaNacimiento"] = .map(["x": .null])
    return fields
  }

  private static func tokens(of fields: FieldMap, _ names: [UserField]) -> [UTF8Key] {
    names.flatMap { PlainText.tokens(fields[$0.rawValue]?.string ?? "") }.map { UTF8Key($0) }
  }

  @Test(arguments: [true, false], [1, 2, 3, 4])
  func isAdditiveIdempotentAndLosesNoToken(accept: Bool, seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let migration = UsersUnify(acceptProposals: accept)
    let now = try serverTime()
    for round in 0..<2_000 {
      let label: Comment = "seed \(seed), round \(round)"
      let before = try document("users/u1", Self.user(&random))
      let outcome = migration.outcome(for: before)
      guard let change = outcome.change, var after = change.after else {
        #expect(outcome.change == nil, label)
        continue
      }
      for entry in before.fields.entries where entry.name != "updatedAt" {
        // What stands stays; null and blank are missing.
        let stands = entry.value.string.map { !PlainText.isBlank($0) } ?? !entry.value.isNull
        if stands || UserField(rawValue: entry.name).map({ $0.legacy == nil && $0 == .role }) ?? true {
          #expect(after[entry.name] == entry.value, label)
        }
      }
      let written = try WriteApplier.apply(change.write, to: before, at: now)
      after["updatedAt"] = now
      #expect(written == after, label)

      let again = try document("users/u1", after)
      #expect(migration.outcome(for: again).change == nil, label)

      // Parts that come from fullName alone hold its tokens, all of them and in order.
      let parts: [UserField] = [.firstName, .paternalLastName, .maternalLastName]
      if change.reasons.contains(where: { $0.hasPrefix("firstName-from-fullName") }),
        parts.allSatisfy({ UserFields(before.fields).unifiedName[$0.part] == nil })
      {
        #expect(Self.tokens(of: after, parts) == Self.tokens(of: after, [.fullName]), label)
      }
      // A fullName that is written holds the tokens of the parts.
      if change.reasons.contains("fullName-from-parts") {
        #expect(Self.tokens(of: after, [.fullName]) == Self.tokens(of: after, parts), label)
      }
    }
  }

  /// Words as they are compared, with how they are written.
  private static let spellings = [
    "ana": ["Ana", "ANA", "aná"], "maria": ["María", "Maria\u{301}"], "lopez": ["López", "lopez"],
    "ruiz": ["Ruiz"],
    "de": ["de", "De"], "la": ["la"], "mc": ["Mc"],
  ]

  private static func name(
    _ lengths: ClosedRange<Int>,
    _ random: inout SplitMix64
  ) -> [(word: String, text: String)] {
    (0..<Int.random(in: lengths, using: &random)).map { _ in
      let word = random.pick(spellings.keys.sorted())
      return (word, random.pick(spellings[word] ?? []))
    }
  }

  /// An existing part whose words are all in fullName has them: they are not written once more.
  @Test(arguments: [1, 2, 3, 4]) func writesOnlyWhatIsLeftOfFullName(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let words = Dictionary(
      uniqueKeysWithValues: Self.spellings.flatMap { word, texts in texts.map { (UTF8Key($0), word) } }
    )
    for round in 0..<2_000 {
      let full = Self.name(1...5, &random)
      let comma = random.chance(4) ? Int.random(in: 0..<full.count, using: &random) : -1
      let fullName = full.enumerated().map { $1.text + ($0 == comma ? "," : "") }.joined(separator: " ")
      var fields = texts(["fullName": fullName])
      var standing: [[String]] = []
      for field in [UserField.firstName, .paternalLastName, .maternalLastName] where random.chance(2) {
        let own = Self.name(1...2, &random)
        fields[field.rawValue] = .string(own.map(\.text).joined(separator: " "))
        standing.append(own.map(\.word))
      }
      let label: Comment = "seed \(seed), round \(round): \(fields)"
      let before = UserFields(fields).unifiedName
      let change = UsersUnify(acceptProposals: true).outcome(for: try document("users/u1", fields)).change
      let after = UserFields(try #require(change?.after)).unifiedName
      let added = PlainText.tokens(before.missing(from: after).joined).map {
        words[UTF8Key($0.replacing(",", with: ""))]
      }
      for word in Self.spellings.keys {
        func count(_ words: [String?]) -> Int { words.count { $0 == word } }
        let there = count(full.map(\.word))
        #expect(count(added) <= there, label)
        for own in standing
        where own.allSatisfy({ one in own.count { $0 == one } <= full.count { $0.word == one } }) {
          #expect(count(added) + count(own) <= there, label)
        }
      }
    }
  }
}

extension UserField {
  fileprivate var part: PersonName.Part {
    self == .firstName ? .first : self == .paternalLastName ? .paternal : .maternal
  }
}
