import FirestoreModels

/// A person's name in its three parts, as the gym keeps it.
///
/// Equal by the bytes of the parts; ``saysSame(as:)`` and ``GymText/saySame(_:_:)`` compare as people do. Parts are
/// kept as they are given and never blank.
package struct PersonName: Sendable, Equatable {
  /// The parts, in the order in which a full name has them.
  package enum Part: Int, Sendable, CaseIterable {
    /// The given name or names.
    case first
    /// The father's surname; required.
    case paternal
    /// The mother's surname; optional.
    case maternal
  }

  /// The given name or names.
  package var firstName: String?
  /// The father's surname.
  package var paternalLastName: String?
  /// The mother's surname.
  package var maternalLastName: String?

  /// Makes a name of its parts, as they are.
  package init(firstName: String? = nil, paternalLastName: String? = nil, maternalLastName: String? = nil) {
    self.firstName = firstName
    self.paternalLastName = paternalLastName
    self.maternalLastName = maternalLastName
  }

  /// One part; nil where it is missing.
  package subscript(part: Part) -> String? {
    get {
      switch part {
      case .first: firstName
      case .paternal: paternalLastName
      case .maternal: maternalLastName
      }
    }
    set {
      switch part {
      case .first: firstName = newValue
      case .paternal: paternalLastName = newValue
      case .maternal: maternalLastName = newValue
      }
    }
  }

  /// Whether no part is there.
  package var isEmpty: Bool { firstName == nil && paternalLastName == nil && maternalLastName == nil }

  /// Whether every part is there.
  package var isComplete: Bool { firstName != nil && paternalLastName != nil && maternalLastName != nil }

  /// The full name: the tidied parts joined by one space, empty where there is none.
  package var joined: String {
    var text = ""
    text.reserveCapacity(2 + Part.allCases.reduce(0) { $0 + (self[$1]?.utf8.count ?? 0) })
    for part in Part.allCases {
      guard let name = self[part] else { continue }
      if !text.isEmpty { text += " " }
      text += name
    }
    return GymText.tidied(text)
  }

  /// Those parts of another name that are missing in this one.
  package func missing(from other: PersonName) -> PersonName {
    PersonName(
      firstName: firstName == nil ? other.firstName : nil,
      paternalLastName: paternalLastName == nil ? other.paternalLastName : nil,
      maternalLastName: maternalLastName == nil ? other.maternalLastName : nil
    )
  }

  /// The parts, each as ``GymText/tidied(_:)`` makes it.
  package var tidied: PersonName {
    PersonName(
      firstName: firstName.map(GymText.tidied),
      paternalLastName: paternalLastName.map(GymText.tidied),
      maternalLastName: maternalLastName.map(GymText.tidied)
    )
  }

  /// This name with its missing parts taken from another.
  package func filled(from other: PersonName) -> PersonName {
    PersonName(
      firstName: firstName ?? other.firstName,
      paternalLastName: paternalLastName ?? other.paternalLastName,
      maternalLastName: maternalLastName ?? other.maternalLastName
    )
  }

  /// Whether the same parts are there with the same bytes.
  package static func == (a: PersonName, b: PersonName) -> Bool {
    Part.allCases.allSatisfy { part in
      switch (a[part], b[part]) {
      case (nil, nil): true
      case (let x?, let y?): x.isIdentical(to: y)
      default: false
      }
    }
  }

  // MARK: Comparison

  /// Whether the parts that both names have say the same, case, accents and surplus white space aside.
  package func saysSame(as other: PersonName) -> Bool {
    func saySame(_ a: String?, _ b: String?) -> Bool {
      guard let a, let b else { return true }
      return GymText.saySame(a, b)
    }
    return saySame(firstName, other.firstName) && saySame(paternalLastName, other.paternalLastName)
      && saySame(maternalLastName, other.maternalLastName)
  }

  /// Whether the parts say what a full name says, which may lack the maternal name that the parts have and
  /// nothing else.
  package func agrees(withFullName fullName: String) -> Bool {
    if GymText.saySame(joined, fullName) { return true }
    if maternalLastName == nil { return false }
    var short = self
    short.maternalLastName = nil
    return GymText.saySame(short.joined, fullName)
  }
}
