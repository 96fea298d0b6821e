/// What is left of a full name beside parts that are known, and how it goes to the other parts.
///
/// A known part is in the full name if all of its words are, compared without case, accents and signs around them, in whatever
/// order. Its words, and the particles that belong to them, are not left.
package struct NameRemainder: Sendable {
  /// The known parts that are in the full name.
  package private(set) var found: Set<PersonName.Part> = []

  /// The given name before the surnames, also of a name like "López Ruiz, Ana".
  private let words: [String]
  private let keys: [UTF8Key]
  private var isLeft: [Bool]
  /// Where the paternal surname is, if its words follow each other.
  private var paternal: Range<Int>?

  package init(of fullName: String, beside known: PersonName) {
    let pieces = NameSplit.words(aroundCommaOf: fullName)
    words = pieces.map { $0.given + $0.surnames } ?? PlainText.tokens(fullName)
    keys = words.map(Self.key)
    isLeft = words.map { _ in true }
    let counts = Self.counts(of: keys)
    for part in [PersonName.Part.first, .maternal, .paternal] {
      guard let own = known[part].map({ PlainText.tokens($0).map(Self.key) }) else { continue }
      guard Self.counts(of: own).allSatisfy({ $0.value <= counts[$0.key] ?? 0 }) else { continue }
      found.insert(part)
      take(own, of: part)
    }
    takeParticles()
  }

  /// The parts that are not in the full name, made of the words that are left.
  ///
  /// "Ana María López" has, beside the given name Ana María, the paternal surname López. The words before a paternal surname are
  /// the given name, and those behind it the maternal surname.
  package var parts: PersonName {
    let others = PersonName.Part.allCases.filter { !found.contains($0) }
    guard let paternal else {
      return NameSplit.parts(of: NameSplit.units(of: left(in: words.indices)), for: others)
    }
    let before = left(in: 0..<paternal.lowerBound)
    let behind = left(in: paternal.upperBound..<words.count)
    // The surnames may come first.
    let isBehind = before.isEmpty && found.contains(.maternal)
    var name = PersonName()
    for part in others {
      let own = part == .maternal || isBehind ? behind : before
      name[part] = own.isEmpty ? nil : own.joined(separator: " ")
    }
    return name
  }

  private func left(in range: Range<Int>) -> [String] { range.filter { isLeft[$0] }.map { words[$0] } }

  // MARK: Words

  private static func key(_ word: String) -> UTF8Key {
    let folded = PlainText.folded(word)
    let bare = PlainText.trimmed(folded) { !NameWord.hasLetter(String($0)) }
    return UTF8Key(bare.isEmpty ? folded : bare)
  }

  private static func counts(of keys: [UTF8Key]) -> [UTF8Key: Int] {
    keys.reduce(into: [:]) { $0[$1, default: 0] += 1 }
  }

  /// Takes the words of a part where it belongs, else wherever they are.
  private mutating func take(_ own: [UTF8Key], of part: PersonName.Part) {
    if let run = run(of: own, part) {
      for index in run { isLeft[index] = false }
      if part == .paternal { paternal = run }
      return
    }
    var wanted = Self.counts(of: own)
    for index in keys.indices.reversed() where isLeft[index] && wanted[keys[index], default: 0] > 0 {
      wanted[keys[index], default: 0] -= 1
      isLeft[index] = false
    }
  }

  /// Returns where the words of a part follow each other: a given name at the start, a maternal surname at the end, and the
  /// paternal one as far behind as it is.
  private func run(of own: [UTF8Key], _ part: PersonName.Part) -> Range<Int>? {
    guard keys.count >= own.count else { return nil }
    let last = keys.count - own.count
    let starts = part == .first ? 0...0 : part == .maternal ? last...last : 0...last
    let start = starts.last { start in
      let run = start..<(start + own.count)
      return keys[run].elementsEqual(own) && isLeft[run].allSatisfy { $0 }
    }
    return start.map { $0..<($0 + own.count) }
  }

  /// Takes the particles of the words that are taken: of the word behind, or at the end of the word before.
  private mutating func takeParticles() {
    let areParticles = words.map(NameSplit.isParticle)
    guard let last = areParticles.lastIndex(of: false) else { return }
    var isOwnerLeft = isLeft[last]
    for index in words.indices.reversed() {
      if !areParticles[index] {
        isOwnerLeft = isLeft[index]
      } else if !isOwnerLeft {
        isLeft[index] = false
      }
    }
  }
}
