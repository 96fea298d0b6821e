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
}

extension UserField {
  fileprivate var part: PersonName.Part {
    self == .firstName ? .first : self == .paternalLastName ? .paternal : .maternal
  }
}
