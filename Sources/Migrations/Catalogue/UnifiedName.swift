import Models

/// What becomes of a user's name: what is missing of the unified fields and may be written, what is only proposed,
/// and why.
struct UnifiedName {
  /// A field and the text that is to stand in it.
  struct Assignment: Equatable {
    var field: UserField
    var text: String
    /// The field that it comes from; nil where it is the parts joined.
    var source: UserField?
  }

  /// Why the name is listed for review.
  enum Doubt: Equatable {
    /// fullName, Android's parts and the standing parts do not say the same.
    case disagrees
    /// fullName is one unit.
    case oneUnit
    /// fullName has more than three units.
    case manyUnits
    /// fullName holds a particle.
    case particle
    /// There is no paternal name.
    case noPaternal
    /// There is no given name.
    case noFirst
    /// There is no name at all.
    case noName
  }

  /// What is written in any case.
  var sure: [Assignment] = []
  /// What is withheld until a person says so.
  var proposed: [Assignment] = []
  /// Why it is listed; nil where nothing is doubtful.
  var doubt: Doubt?
  /// Whether something is withheld, proposed or not.
  var isWithheld = false

  /// Decides over a document whose fields are of their types.
  init(_ user: borrowing UserFields) {
    let standing = user.unifiedName
    let android = user.androidName
    let wanted = standing.missingParts

    if let fullName = user.fullName {
      if Self.fits(android, standing: standing, fullName: fullName) {
        sure = Self.parts(wanted, of: android, from: \.legacy)
      } else if !wanted.isEmpty, !GymText.saySame(standing.joined, fullName) {
        decide(fullName, android: android, standing: standing)
      }
    } else {
      let taken = Self.parts(wanted, of: android, from: \.legacy)
      let joined = Assignment(field: .fullName, text: standing.filled(from: android).joined, source: nil)
      if standing.saysSame(as: android) || taken.isEmpty {
        sure = (joined.text.isEmpty ? [] : [joined]) + taken
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
  /// A fullName joined from half a name would stand for good.
  private mutating func withholdButGivenName() {
    let withheld = sure.filter { $0.field != .firstName || $0.source != .nombre }
    sure.removeAll { withheld.contains($0) }
    proposed += withheld
    if !withheld.isEmpty { isWithheld = true }
  }

  /// The name as it will stand, the proposals taken or not.
  func name(of user: UserFields, accepting: Bool) -> PersonName {
    var name = user.unifiedName
    for part in name.missingParts {
      name[part] = (accepting ? sure + proposed : sure).first { $0.field == UserField(part) }?.text
    }
    return name
  }

  // MARK: Parts

  /// Whether Android's parts may be taken: they are there, and agree with the standing parts and with fullName.
  ///
  /// Parts that stand may be what fullName has beyond Android's. Then both together must say all of it: a maternal
  /// name beyond fullName is taken only from parts that agree by themselves.
  private static func fits(_ android: PersonName, standing: PersonName, fullName: String) -> Bool {
    !android.isEmpty && android.saysSame(as: standing)
      && (android.agrees(withFullName: fullName)
        || GymText.saySame(standing.filled(from: android).joined, fullName))
  }

  /// The missing parts where only a fullName, doubtful or not, is left to take them from.
  private mutating func decide(_ fullName: String, android: PersonName, standing: PersonName) {
    let wanted = standing.missingParts
    // Android's parts that say the same as fullName split it better than a rule does.
    if !android.isEmpty, android.agrees(withFullName: fullName) {
      propose(Self.parts(wanted, of: android, from: \.legacy), because: .disagrees)
      return
    }
    let split = NameSplit(fullName)
    let fitsStanding = split.name.saysSame(as: standing)
    let parts = fitsStanding ? split.name : NameSplit.parts(of: fullName, around: standing)
    let taken = Self.parts(wanted, of: parts) { _ in .fullName }
    if !android.isEmpty {
      // Android's disagreement matters where one of the two would fill something.
      if !taken.isEmpty || wanted.contains(where: { android[$0] != nil }) {
        propose(taken, because: .disagrees)
      }
    } else if taken.isEmpty {
      return
    } else if !fitsStanding {
      propose(taken, because: .disagrees)
    } else if split.doubts.isEmpty {
      sure = taken
    } else {
      propose(
        taken,
        because: split.doubts.contains(.oneUnit)
          ? .oneUnit : split.doubts.contains(.manyUnits) ? .manyUnits : .particle
      )
    }
  }

  private mutating func propose(_ assignments: [Assignment], because doubt: Doubt) {
    proposed = assignments
    self.doubt = doubt
    isWithheld = true
  }

  /// Assigns those of the wanted parts that a name has, tidied.
  private static func parts(
    _ wanted: [PersonName.Part],
    of name: PersonName,
    from source: (UserField) -> UserField?
  ) -> [Assignment] {
    wanted.compactMap { part in
      name[part].map { text in
        let field = UserField(part)
        return Assignment(field: field, text: GymText.tidied(text), source: source(field))
      }
    }
  }

  /// The doubt that remains where a required part will be missing.
  private func requiredPartDoubt(_ user: UserFields) -> Doubt? {
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
