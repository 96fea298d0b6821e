/// The decision about one person's link.
///
/// Both sides of a pair decide for themselves, by symmetric rules, so that the two documents come to refer to each other without
/// being written together.
enum LinkDecision: Sendable, Equatable {
  /// What two people are matched by, the stronger key first.
  enum Key: String, Sendable, CaseIterable {
    case phone, email
  }

  /// The link is correct, or there is nobody to link to.
  case leave
  /// Link to this ID, with an optional note.
  case link(String, MembersLink.Reason, note: MembersLink.Code? = nil)
  /// A person should know or decide: the reason, and the others concerned.
  case record(MembersLink.Code, candidates: [String])

  init(on person: LinkSpool.Person, by look: LinkLookUp) throws {
    let other = person.side.other
    var isDangling = false
    if let link = person.link {
      if let target = try look.person(other, link) {
        self = try Self.standing(person, target, look)
        return
      }
      isDangling = true
    }
    let claimants = try look.claimants(other, of: person.id)
    if let only = claimants.first, claimants.count == 1 {
      // Others who refer to the same person contradict the claimant; they are listed themselves.
      let rivals = try look.claimants(person.side, of: only.id, limit: 1)
      self = rivals.isEmpty ? .link(only.id, isDangling ? .linkReplaced : .linkCompleted) : .leave
    } else if !claimants.isEmpty {
      self = .record(.linkClaimedTwice, candidates: claimants.map(\.id))
    } else {
      self = try Self.match(person, isDangling: isDangling, look)
    }
  }

  // MARK: Existing links

  /// Decides on a person with a link to an existing person.
  private static func standing(
    _ person: LinkSpool.Person,
    _ target: LinkSpool.Person,
    _ look: LinkLookUp
  ) throws -> LinkDecision {
    guard let back = target.link, !back.isIdentical(to: person.id) else { return .leave }
    // A link to a missing person counts as none, and is corrected on the target's side.
    guard try look.person(person.side, back) != nil else { return .leave }
    return .record(.linkContradicts, candidates: [target.id])
  }

  /// Whether a person has no link, nobody is linked to that person, and a link is permitted.
  private static func isFree(_ person: LinkSpool.Person, _ look: LinkLookUp) throws -> Bool {
    if person.isFrozen { return false }
    if let link = person.link, try look.person(person.side.other, link) != nil { return false }
    return try look.claimants(person.side.other, of: person.id, limit: 1).isEmpty
  }

  // MARK: Matches

  /// Decides on a person who is not linked to anybody.
  private static func match(
    _ person: LinkSpool.Person,
    isDangling: Bool,
    _ look: LinkLookUp
  ) throws -> LinkDecision {
    let nobody: LinkDecision = isDangling ? .record(.linkDangling, candidates: []) : .leave
    var candidates: [LinkSpool.Person] = []
    for key in Key.allCases {
      guard let value = person[key] else { continue }
      for bearer in try look.bearers(person.side.other, key, value)
      where !candidates.contains(where: { $0.id.isIdentical(to: bearer.id) }) {
        candidates.append(bearer)
      }
    }
    if candidates.isEmpty { return nobody }
    let free = try candidates.filter { try isFree($0, look) }
    // With that many candidates, not all were examined.
    if free.isEmpty, candidates.count < LinkLookUp.limit {
      return isDangling ? nobody : .record(.matchTaken, candidates: candidates.map(\.id))
    }

    let doubt: MembersLink.Code
    if let (match, key) = try unique(person, look) {
      if try !isFree(match, look) {
        doubt = .matchAmbiguous
      } else if try !(unique(match, look).map { $0.person.id.isIdentical(to: person.id) } ?? false)
        || isContradicted(person, match, by: key == .phone ? .email : .phone, look)
      {
        doubt = .matchContradicts
      } else if !person.isActive || !match.isActive {
        doubt = .matchInactive
      } else {
        // A pair is listed only once, with its user.
        let isNoted = person.side == .user && person.hasOtherName(than: match)
        return .link(
          match.id,
          key == .phone ? .phoneMatches : .emailMatches,
          note: isNoted ? .matchNameDiffers : nil
        )
      }
    } else {
      doubt = .matchAmbiguous
    }
    // A pair is listed only once, with its user.
    if person.side == .member { return nobody }
    return .record(doubt, candidates: candidates.map(\.id))
  }

  /// Returns the only person on the other side who shares a phone, or else an email, with a person.
  private static func unique(
    _ person: LinkSpool.Person,
    _ look: LinkLookUp
  ) throws -> (person: LinkSpool.Person, key: Key)? {
    for key in Key.allCases {
      guard let value = person[key] else { continue }
      let others = try look.bearers(person.side.other, key, value, limit: 2)
      let own = try look.bearers(person.side, key, value, limit: 2)
      if let only = others.first, others.count == 1, own.count == 1 { return (only, key) }
    }
    return nil
  }

  /// Whether the other key of one of two people leads to a third person.
  private static func isContradicted(
    _ a: LinkSpool.Person,
    _ b: LinkSpool.Person,
    by key: Key,
    _ look: LinkLookUp
  ) throws -> Bool {
    func leadsElsewhere(_ person: LinkSpool.Person, than match: LinkSpool.Person) throws -> Bool {
      guard let value = person[key] else { return false }
      if let other = match[key], other.isIdentical(to: value) { return false }
      return try !look.bearers(match.side, key, value, limit: 1).isEmpty
    }
    return try leadsElsewhere(a, than: b) || leadsElsewhere(b, than: a)
  }
}

extension LinkSpool.Person {
  fileprivate subscript(key: LinkDecision.Key) -> String? { key == .phone ? phone : email }
}
