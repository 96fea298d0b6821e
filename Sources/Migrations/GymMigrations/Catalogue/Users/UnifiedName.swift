/// What becomes of a user's name: what is missing of the unified fields and may be written, what is only proposed,
/// and why.
struct UnifiedName {
  /// Texts for fields of a name.
  struct Texts {
    /// The parts joined; nil where fullName is not among the fields.
    var fullName: String?
    /// The parts, of which those that are there are among the fields.
    var parts = PersonName()

    /// Whether there is no text.
    var isEmpty: Bool { fullName == nil && parts.isEmpty }

    /// Calls `body` with each field and its text: fullName, then the parts in their order.
    func forEach(_ body: (UserField, String) -> Void) {
      if let fullName { body(.fullName, fullName) }
      if let first = parts.firstName { body(.firstName, first) }
      if let paternal = parts.paternalLastName { body(.paternalLastName, paternal) }
      if let maternal = parts.maternalLastName { body(.maternalLastName, maternal) }
    }
  }

  /// Where the parts of ``sure`` and ``proposed`` come from.
  enum Source {
    case android
    case fullName
  }

  /// Why the name is listed for review.
  enum Doubt: Equatable {
    /// fullName, Android's parts and the existing parts do not say the same.
    case disagrees
    /// A part of Android's has no letter.
    case noLetter
    /// The split of fullName is ambiguous.
    case split(NameSplit.Doubt)
    case noPaternal
    case noFirst
    case noName
    /// The paternal name that is written may be a second given name.
    case twoGiven
  }

  /// What is written in any case.
  var sure = Texts()
  /// What is withheld until a person says so.
  var proposed = Texts()
  /// Where the parts of both come from.
  var source = Source.android
  /// Why it is listed; nil where nothing is doubtful.
  var doubt: Doubt?
  /// Whether something is withheld, proposed or not.
  var isWithheld = false

  /// Decides over a document whose fields are of their types.
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

  /// The name where there is no fullName.
  private mutating func join(_ standing: PersonName, _ android: PersonName) {
    let taken = standing.missing(from: android)
    let joined = standing.filled(from: android).joined
    let texts = Texts(fullName: joined.isEmpty ? nil : joined, parts: taken.tidied)
    if standing.saysSame(as: android) {
      sure = texts
    } else {
      // Parts of two names joined would be nobody's.
      if taken.isEmpty { proposed = texts }
      doubt = .disagrees
      isWithheld = true
    }
  }

  /// A part without a letter ("." where the form wanted a surname) is no name: it would stay for good.
  private mutating func withholdSigns() {
    if PersonName.Part.allCases.allSatisfy({ sure.parts[$0].map(NameWord.hasLetter) ?? true }) { return }
    (proposed, sure) = (sure, Texts())
    doubt = .noLetter
    isWithheld = true
  }

  /// A name without a required part is for a person to complete: of it only nombre is written, as firstName.
  ///
  /// A fullName joined from half a name would stay for good.
  private mutating func withholdButGivenName() {
    var kept = Texts()
    if source == .android { swap(&kept.parts.firstName, &sure.parts.firstName) }
    proposed = sure
    sure = kept
    if !proposed.isEmpty { isWithheld = true }
  }

  /// The name as it will be, with or without the proposals.
  func name(of user: borrowing UserFields, accepting: Bool) -> PersonName {
    let name = user.unifiedName.filled(from: sure.parts)
    return accepting ? name.filled(from: proposed.parts) : name
  }

  // MARK: Parts

  /// Whether Android's parts may be taken: they are there, and agree with the existing parts and with fullName.
  ///
  /// Existing parts may be what fullName has beyond Android's. Then both together must say all of it: a maternal
  /// name beyond fullName is taken only from parts that agree by themselves.
  private static func fits(_ android: PersonName, standing: PersonName, fullName: String) -> Bool {
    if android.isEmpty || !android.saysSame(as: standing) { return false }
    if android.agrees(withFullName: fullName) { return true }
    let whole = standing.filled(from: android)
    return standing.maternalLastName == nil
      ? PlainText.saySame(whole.joined, fullName) : whole.agrees(withFullName: fullName)
  }

  /// The missing parts where only a fullName, doubtful or not, is left to take them from.
  private mutating func decide(_ fullName: String, android: PersonName, standing: PersonName) {
    // Android's parts that say the same as fullName split it better than a rule does.
    if !android.isEmpty, android.agrees(withFullName: fullName) {
      propose(standing.missing(from: android).tidied, from: .android, because: .disagrees)
      return
    }
    let isSaid = PlainText.saySame(standing.joined, fullName)
    if isSaid, android.isEmpty { return }
    let split = NameSplit(fullName)
    let fitsStanding = split.name.saysSame(as: standing)
    let parts = fitsStanding ? split.name : NameSplit.parts(of: fullName, around: standing)
    // Parts of a split are tidy. Nothing is left of a fullName that the existing parts say.
    let taken = isSaid ? PersonName() : standing.missing(from: parts)
    if !android.isEmpty {
      propose(taken, from: .fullName, because: .disagrees)
      // Nothing is proposed for a part that only Android has.
      if !standing.missing(from: android).isEmpty { isWithheld = true }
    } else if !fitsStanding {
      if taken.isEmpty, standing.agrees(withFullName: fullName) { return }
      propose(taken, from: .fullName, because: .disagrees)
    } else if taken.isEmpty {
      // A word alone is not the name of parts with a surname.
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

  /// A disagreement is listed also where nothing is left to propose.
  private mutating func propose(_ parts: PersonName, from source: Source, because doubt: Doubt) {
    proposed.parts = parts
    self.source = source
    self.doubt = doubt
    isWithheld = !parts.isEmpty
  }

  /// The doubt that remains where a required part will be missing.
  private func requiredPartDoubt(_ user: borrowing UserFields) -> Doubt? {
    let name = name(of: user, accepting: false)
    if user.fullName == nil, name.isEmpty { return .noName }
    if name.firstName != nil, name.paternalLastName != nil { return nil }
    if let fullName = user.fullName, user.androidName.isEmpty {
      let split = NameSplit(fullName)
      if split.doubts.contains(.oneUnit) { return split.firstDoubt.map(Doubt.split) }
    }
    return name.firstName == nil ? .noFirst : .noPaternal
  }
}
