/// The unification of a user's name: the missing fields that can be written, those that are only proposed, and the reason.
struct UnifiedName {
  /// Texts for the fields of a name.
  struct Texts {
    /// The joined parts; nil if fullName is not to be set.
    var fullName: String?
    /// The parts to be set.
    var parts = PersonName()

    var isEmpty: Bool { fullName == nil && parts.isEmpty }

    /// Calls `body` with each field and its text: fullName, then the parts in order.
    func forEach(_ body: (UserField, String) -> Void) {
      if let fullName { body(.fullName, fullName) }
      if let first = parts.firstName { body(.firstName, first) }
      if let paternal = parts.paternalLastName { body(.paternalLastName, paternal) }
      if let maternal = parts.maternalLastName { body(.maternalLastName, maternal) }
    }
  }

  /// The origin of the parts in ``sure`` and ``proposed``.
  enum Source {
    case android
    case fullName
  }

  /// Why the name is listed for review.
  enum Doubt: Equatable {
    /// fullName, Android's parts and the existing parts differ.
    case disagrees
    /// One of Android's parts has no letter.
    case noLetter
    /// The split of fullName is ambiguous.
    case split(NameSplit.Doubt)
    case noPaternal
    case noFirst
    case noName
    /// The paternal name to be written may be a second given name.
    case twoGiven
  }

  /// What is written in any case.
  var sure = Texts()
  /// What is withheld until a person approves it.
  var proposed = Texts()
  /// The origin of the parts in both.
  var source = Source.android
  /// Why the name is listed; nil if nothing is doubtful.
  var doubt: Doubt?
  /// Whether something is withheld, whether or not it is proposed.
  var isWithheld = false

  /// Decides on a document whose fields have the right types.
  init(_ user: borrowing UserFields) {
    let standing = user.unifiedName
    let android = user.androidName

    if let fullName = user.fullName {
      if Self.fits(android, standing: standing, fullName: fullName) {
        sure.parts = standing.missing(from: android).tidied
      } else {
        decide(fullName, android: android, standing: standing)
      }
    } else {
      join(standing, android)
    }
    if doubt == nil, source == .android { withholdSigns() }
    if doubt == nil {
      doubt = requiredPartDoubt(user)
      if doubt == .noPaternal || doubt == .noFirst { withholdButGivenName() }
    }
  }

  /// Decides on the name if there is no fullName.
  private mutating func join(_ standing: PersonName, _ android: PersonName) {
    let taken = standing.missing(from: android)
    let joined = standing.filled(from: android).joined
    let texts = Texts(fullName: joined.isEmpty ? nil : joined, parts: taken.tidied)
    if standing.saysSame(as: android) {
      sure = texts
    } else {
      // Joined parts of two different names would be nobody's name.
      if taken.isEmpty { proposed = texts }
      doubt = .disagrees
      isWithheld = true
    }
  }

  /// Withholds parts without a letter (such as "." where the form required a surname), because they would be kept forever.
  private mutating func withholdSigns() {
    if PersonName.Part.allCases.allSatisfy({ sure.parts[$0].map(NameWord.hasLetter) ?? true }) { return }
    (proposed, sure) = (sure, Texts())
    doubt = .noLetter
    isWithheld = true
  }

  /// Withholds a name without a required part, to be completed by a person; only nombre is written, as firstName.
  ///
  /// A fullName joined from half a name would be kept forever.
  private mutating func withholdButGivenName() {
    var kept = Texts()
    if source == .android { swap(&kept.parts.firstName, &sure.parts.firstName) }
    proposed = sure
    sure = kept
    if !proposed.isEmpty { isWithheld = true }
  }

  /// Returns the name as it will be, with or without the proposals.
  func name(of user: borrowing UserFields, accepting: Bool) -> PersonName {
    let name = user.unifiedName.filled(from: sure.parts)
    return accepting ? name.filled(from: proposed.parts) : name
  }

  // MARK: Parts

  /// Whether Android's parts can be used: they exist, agree with the existing parts, and both together agree with fullName.
  ///
  /// Existing parts may cover what fullName has beyond Android's. Then a maternal name beyond fullName is only accepted from the
  /// existing parts: Android's do not agree by themselves.
  private static func fits(_ android: PersonName, standing: PersonName, fullName: String) -> Bool {
    if android.isEmpty || !android.saysSame(as: standing) { return false }
    let whole = standing.filled(from: android)
    return standing.maternalLastName != nil || android.agrees(withFullName: fullName)
      ? whole.agrees(withFullName: fullName) : PlainText.saySame(whole.joined, fullName)
  }

  /// Decides on the missing parts if they can only come from a fullName, doubtful or not.
  private mutating func decide(_ fullName: String, android: PersonName, standing: PersonName) {
    // Android's parts that agree with fullName split it better than a rule can.
    if !android.isEmpty, android.agrees(withFullName: fullName) {
      propose(standing.missing(from: android).tidied, from: .android, because: .disagrees)
      return
    }
    let isSaid = standing.agrees(withFullName: fullName)
    if isSaid, android.isEmpty { return }
    let split = NameSplit(fullName)
    let rest = NameRemainder(of: fullName, beside: standing)
    let fitsStanding = Self.fits(split.name, standing: standing, rest)
    // Nothing remains of a fullName that the existing parts already cover.
    let taken = isSaid ? PersonName() : standing.missing(from: fitsStanding ? split.name : rest.parts)
    if !android.isEmpty {
      propose(taken, from: .fullName, because: .disagrees)
      // A part that only Android has is not proposed.
      if !standing.missing(from: android).isEmpty { isWithheld = true }
    } else if !fitsStanding {
      propose(taken, from: .fullName, because: .disagrees)
    } else if taken.isEmpty {
      // A single word is not the full name of somebody with a given name and a surname.
      let isWhole = standing.firstName != nil && standing.paternalLastName != nil
      if isWhole, !standing.agrees(withFullName: split.name.joined) {
        propose(taken, from: .fullName, because: .disagrees)
      }
    } else if let doubt = split.firstDoubt {
      propose(taken, from: .fullName, because: .split(doubt))
    } else {
      sure.parts = taken
      source = .fullName
      if taken.paternalLastName != nil, split.hasTwoGivenNames { doubt = .twoGiven }
    }
  }

  /// Whether the split of fullName has the existing parts in their places.
  ///
  /// One that fullName has in the place of a missing part would be written twice.
  private static func fits(_ split: PersonName, standing: PersonName, _ rest: NameRemainder) -> Bool {
    split.saysSame(as: standing) && rest.found.allSatisfy { split[$0] != nil }
  }

  /// A disagreement is listed even if nothing remains to be proposed.
  private mutating func propose(_ parts: PersonName, from source: Source, because doubt: Doubt) {
    proposed.parts = parts
    self.source = source
    self.doubt = doubt
    isWithheld = !parts.isEmpty
  }

  /// Returns the doubt that remains because a required part will be missing.
  private func requiredPartDoubt(_ user: borrowing UserFields) -> Doubt? {
    let name = name(of: user, accepting: false)
    if user.fullName == nil, name.isEmpty { return .noName }
    if name.firstName != nil, name.paternalLastName != nil { return nil }
    if let fullName = user.fullName, user.androidName.isEmpty {
      let split = NameSplit(fullName)
      if split.doubts.contains(.oneUnit) { return split.firstDoubt.map(Doubt.split) }
    }
    return name.paternalLastName == nil ? .noPaternal : .noFirst
  }
}
