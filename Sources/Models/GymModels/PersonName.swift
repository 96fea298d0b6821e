/// A person's name in the three parts that the gym stores.
///
/// `==` compares bytes; ``saysSame(as:)`` and ``PlainText/saySame(_:_:)`` ignore case, accents and extra white
/// space. Parts are stored unchanged and are never blank.
package struct PersonName: Sendable, Equatable {
  /// The parts in the order of a full name.
  package enum Part: Int, Sendable, CaseIterable {
    case first
    /// The father's surname; required.
    case paternal
    /// The mother's surname; optional.
    case maternal
  }

  /// The given name or names.
  package var firstName: String?
  package var paternalLastName: String?
  package var maternalLastName: String?

  package init(firstName: String? = nil, paternalLastName: String? = nil, maternalLastName: String? = nil) {
    self.firstName = firstName
    self.paternalLastName = paternalLastName
    self.maternalLastName = maternalLastName
  }

  /// Creates the name of a member from the parts that are non-blank texts, unchanged.
  package init(ofMember fields: FieldMap) {
    self.init { fields[UserField($0).rawValue]?.string?.nilIfBlank }
  }

  private init(_ part: (Part) -> String?) {
    self.init(firstName: part(.first), paternalLastName: part(.paternal), maternalLastName: part(.maternal))
  }

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

  package var isEmpty: Bool { firstName == nil && paternalLastName == nil && maternalLastName == nil }

  /// The full name: the tidied parts joined by spaces; empty if there are none.
  package var joined: String {
    var text = ""
    text.reserveCapacity(2 + Part.allCases.reduce(0) { $0 + (self[$1]?.utf8.count ?? 0) })
    for part in Part.allCases {
      guard let name = self[part] else { continue }
      if !text.isEmpty { text += " " }
      text += name
    }
    return PlainText.tidied(text)
  }

  /// The parts of another name that this one lacks.
  package func missing(from other: PersonName) -> PersonName {
    PersonName { self[$0] == nil ? other[$0] : nil }
  }

  /// The parts, each ``PlainText/tidied(_:)``.
  package var tidied: PersonName { PersonName { self[$0].map(PlainText.tidied) } }

  /// Returns this name with missing parts taken from another.
  package func filled(from other: PersonName) -> PersonName { PersonName { self[$0] ?? other[$0] } }

  package static func == (a: PersonName, b: PersonName) -> Bool {
    Part.allCases.allSatisfy { a[$0].map(UTF8Key.init) == b[$0].map(UTF8Key.init) }
  }

  // MARK: Comparison

  /// Whether the parts present in both names are equal apart from case, accents and extra white space.
  package func saysSame(as other: PersonName) -> Bool {
    Part.allCases.allSatisfy { part in
      guard let own = self[part], let text = other[part] else { return true }
      return PlainText.saySame(own, text)
    }
  }

  /// Whether the parts match a full name, which may lack only the maternal surname.
  package func agrees(withFullName fullName: String) -> Bool {
    if PlainText.saySame(joined, fullName) { return true }
    if maternalLastName == nil { return false }
    var short = self
    short.maternalLastName = nil
    return PlainText.saySame(short.joined, fullName)
  }
}
