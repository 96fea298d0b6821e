import FirestoreModels
import GymModels

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
    case oneUnit
    case manyUnits
    case particle
    case noPaternal
    case noFirst
    case noName
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
      } else if !standing.isComplete, standing.isEmpty || !PlainText.saySame(standing.joined, fullName) {
        decide(fullName, android: android, standing: standing)
      }
    } else {
      let taken = standing.missing(from: android)
      if standing.saysSame(as: android) || taken.isEmpty {
        let joined = standing.filled(from: android).joined
        sure = Texts(fullName: joined.isEmpty ? nil : joined, parts: taken.tidied)
      } else {
        // Nothing is proposed: parts of two names joined would be nobody's.
        doubt = .disagrees
        isWithheld = true
      }
    }
    if doubt == nil {
      doubt = requiredPartDoubt(user)
      if doubt == .noPaternal || doubt == .noFirst { withholdButGivenName() }
    }
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
    !android.isEmpty && android.saysSame(as: standing)
      && (android.agrees(withFullName: fullName)
        || PlainText.saySame(standing.filled(from: android).joined, fullName))
  }

  /// The missing parts where only a fullName, doubtful or not, is left to take them from.
  private mutating func decide(_ fullName: String, android: PersonName, standing: PersonName) {
    // Android's parts that say the same as fullName split it better than a rule does.
    if !android.isEmpty, android.agrees(withFullName: fullName) {
      propose(standing.missing(from: android).tidied, from: .android, because: .disagrees)
      return
    }
    let split = NameSplit(fullName)
    let fitsStanding = split.name.saysSame(as: standing)
    let parts = fitsStanding ? split.name : NameSplit.parts(of: fullName, around: standing)
    // Parts of a split are tidy.
    let taken = standing.missing(from: parts)
    if !android.isEmpty {
      // Android's disagreement matters where one of the two would fill something.
      if !taken.isEmpty || !standing.missing(from: android).isEmpty {
        propose(taken, from: .fullName, because: .disagrees)
      }
    } else if taken.isEmpty {
      return
    } else if !fitsStanding {
      propose(taken, from: .fullName, because: .disagrees)
    } else if split.doubts.isEmpty {
      sure.parts = taken
      source = .fullName
    } else {
      propose(
        taken,
        from: .fullName,
        because: split.doubts.contains(.oneUnit)
          ? .oneUnit : split.doubts.contains(.manyUnits) ? .manyUnits : .particle
      )
    }
  }

  private mutating func propose(_ parts: PersonName, from source: Source, because doubt: Doubt) {
    proposed.parts = parts
    self.source = source
    self.doubt = doubt
    isWithheld = true
  }

  /// The doubt that remains where a required part will be missing.
  private func requiredPartDoubt(_ user: borrowing UserFields) -> Doubt? {
    let name = name(of: user, accepting: false)
    if user.fullName == nil, name.isEmpty { return .noName }
    if name.firstName != nil, name.paternalLastName != nil { return nil }
    if let fullName = user.fullName, user.androidName.isEmpty,
      NameSplit(fullName).doubts.contains(.oneUnit)
    {
      return .oneUnit
    }
    return name.firstName == nil ? .noFirst : .noPaternal
  }
}
