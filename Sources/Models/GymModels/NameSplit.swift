/// A full name split into parts, with the reasons why the split is ambiguous.
package struct NameSplit: Sendable, Equatable {
  /// Why a person must review the split, the most important first.
  package enum Doubt: Sendable, Hashable, CaseIterable {
    /// A word is not plainly part of a name; see ``NameWord/isUnusual(_:)``.
    case unusual
    /// There is one unit, and so no surname.
    case oneUnit
    /// There are more than three units, so where the given name ends is a guess.
    case manyUnits
    /// The name contains a particle (`de`, `la`, …).
    case particle
  }

  /// The tidied parts, which together contain every token of the full name.
  package var name: PersonName
  /// The reasons; empty if the split is unambiguous.
  package var doubts: Set<Doubt>

  /// The most important reason.
  package var firstDoubt: Doubt? { Doubt.allCases.first(where: doubts.contains) }

  /// Whether the split is unambiguous by the rules, but the paternal surname is a common given name ("José Luis Pérez").
  package var hasTwoGivenNames: Bool {
    guard doubts.isEmpty, name.maternalLastName != nil, let second = name.paternalLastName else {
      return false
    }
    return NameWord.isGivenName(second)
  }

  /// Splits a full name into units without dropping tokens.
  ///
  /// One unit is the given name; two are given name and paternal surname; three add the maternal surname; if there are more, the
  /// last two are the surnames. The words before a single comma are the surnames, if nothing else is unusual.
  package init(_ fullName: String) {
    let tokens = PlainText.tokens(fullName)
    let areParticles = tokens.map(Self.isParticle)
    let hasParticle = areParticles.contains(true)
    let units = hasParticle ? Self.units(of: tokens, areParticles) : tokens
    let isUnusual = Self.hasUnusual(tokens)
    name =
      (isUnusual ? Self.parts(aroundCommaOf: fullName) : nil)
      ?? Self.parts(of: units, for: PersonName.Part.allCases)
    doubts = isUnusual ? [.unusual] : []
    if units.count == 1 { doubts.insert(.oneUnit) }
    if units.count > 3 { doubts.insert(.manyUnits) }
    if hasParticle { doubts.insert(.particle) }
  }

  // MARK: Units

  /// The words that belong to the following word, compared without case and accents.
  package static let particles: Set<UTF8Key> = Set(
    [
      "de", "del", "la", "las", "los", "y", "van", "von", "der", "den", "da", "das", "do", "dos", "di", "du",
      "san", "santa", "santo", "mc", "mac",
    ].map { UTF8Key($0) }
  )

  package static func isParticle(_ token: String) -> Bool {
    // Fast path: folding does not shorten ASCII text and changes an ASCII initial only in case.
    guard let first = token.utf8.first else { return false }
    if first < 0x80, !initials.contains(first | 0x20) { return false }
    if token.utf8.count > longestParticle, token.utf8.allSatisfy({ $0 < 0x80 }) { return false }
    let folded = PlainText.folded(token)
    return folded.utf8.count <= longestParticle && particles.contains(UTF8Key(folded))
  }

  private static let initials = Array(Set(particles.compactMap(\.string.utf8.first)))
  private static let longestParticle = particles.map(\.string.utf8.count).max() ?? 0

  /// Groups tokens into units: a particle joins the next token, and a trailing one the previous token.
  package static func units(of tokens: [String]) -> [String] {
    units(of: tokens, tokens.map(isParticle))
  }

  private static func units(of tokens: [String], _ areParticles: [Bool]) -> [String] {
    var units: [String] = []
    var start = tokens.startIndex
    for end in tokens.indices where !areParticles[end] {
      units.append(tokens[start...end].joined(separator: " "))
      start = end + 1
    }
    if start < tokens.endIndex {
      let rest = tokens[start...].joined(separator: " ")
      units.append(units.popLast().map { "\($0) \(rest)" } ?? rest)
    }
    return units
  }

  /// Gives units to parts, which are in order: a surname gets the last unit if those before it get one each, and the first part
  /// all the others.
  static func parts(of units: [String], for parts: [PersonName.Part]) -> PersonName {
    var name = PersonName()
    var rest = units[...]
    for (before, part) in parts.enumerated().reversed() where rest.count > before {
      let own = before == 0 ? rest : rest.suffix(1)
      rest = rest.dropLast(own.count)
      name[part] = own.joined(separator: " ")
    }
    return name
  }

  // MARK: Unusual words

  /// A particle is never unusual, even one of a single letter.
  private static func hasUnusual(_ tokens: [String]) -> Bool {
    tokens.contains { NameWord.isUnusual($0) && !isParticle($0) }
  }

  /// Splits a name like "López Ruiz, Ana", with the given name after the only comma; nil if the words are doubtful for another
  /// reason.
  private static func parts(aroundCommaOf fullName: String) -> PersonName? {
    guard let (surnames, given) = words(aroundCommaOf: fullName) else { return nil }
    let units = units(of: surnames)
    return PersonName(
      firstName: given.joined(separator: " "),
      paternalLastName: units.prefix(max(1, units.count - 1)).joined(separator: " "),
      maternalLastName: units.count > 1 ? units.last : nil
    )
  }

  /// Returns the words before and after the only comma; nil if there is none, or another word is unusual.
  static func words(aroundCommaOf fullName: String) -> (surnames: [String], given: [String])? {
    let pieces = fullName.split(separator: ",", omittingEmptySubsequences: false)
    guard pieces.count == 2 else { return nil }
    let surnames = PlainText.tokens(String(pieces[0]))
    let given = PlainText.tokens(String(pieces[1]))
    if surnames.isEmpty || given.isEmpty || hasUnusual(surnames) || hasUnusual(given) { return nil }
    return (surnames, given)
  }
}
