package import FirestoreModels

/// The fields of a `users` document in which its three eras differ, by their names in the database.
///
/// The unified era is the superset: of these it has ``fullName`` to ``onboardingCompleted``. The era "iOS" wrote the
/// same names without the three parts; the era "Android" wrote the Spanish ones.
package enum UserField: String, Sendable, CaseIterable {
  case fullName, firstName, paternalLastName, maternalLastName
  case phone, isActive, role, onboardingCompleted
  case nombre, primerApellido, segundoApellido, telefono, activo

  /// The field that holds a part of the name.
  package init(_ part: PersonName.Part) {
    switch part {
    case .first: self = .firstName
    case .paternal: self = .paternalLastName
    case .maternal: self = .maternalLastName
    }
  }

  /// The field of a name, to the byte; nil where it is none of them.
  package init?(exactly name: String) {
    guard let shape = Self.shape(of: name), shape < Self.byShape.count, let field = Self.byShape[shape],
      field.rawValue.isIdentical(to: name)
    else { return nil }
    self = field
  }

  /// The fields by the length and the first letter of their names, which tell them apart.
  private static let byShape: [UserField?] = {
    let shapes = allCases.map { (shape: shape(of: $0.rawValue) ?? 0, field: $0) }
    var fields = [UserField?](repeating: nil, count: 1 + (shapes.map(\.shape).max() ?? 0))
    for (shape, field) in shapes {
      precondition(fields[shape] == nil, "another name is as long and begins as \(field)")
      fields[shape] = field
    }
    return fields
  }()

  private static func shape(of name: String) -> Int? {
    name.utf8.first.map { name.utf8.count << 8 | Int($0) }
  }

  /// Android's field for the same, where it had another.
  package var legacy: UserField? {
    switch self {
    case .firstName: .nombre
    case .paternalLastName: .primerApellido
    case .maternalLastName: .segundoApellido
    case .phone: .telefono
    case .isActive: .activo
    default: nil
    }
  }

  /// Whether it holds a boolean; the others hold text.
  package var isBoolean: Bool {
    switch self {
    case .isActive, .onboardingCompleted, .activo: true
    default: false
    }
  }
}

/// What a `users` document holds, era by era.
///
/// Missing is absent, null or, in a field of text, a text of nothing but white space. A value of another type is
/// never coerced: it is listed in ``wrongTypes`` and reads as missing.
package struct UserFields: Sendable {
  /// A value that is not of its field's type.
  package struct WrongType: Sendable, Equatable {
    /// The field.
    package var field: UserField
    /// What stands there.
    package var value: Value

    /// Makes a finding of one value.
    package init(field: UserField, value: Value) {
      self.field = field
      self.value = value
    }
  }

  /// The full name, of eras iOS and unified, as it stands.
  package var fullName: String?
  /// The three parts of the unified era, as they stand.
  package var unifiedName = PersonName()
  /// Android's three parts, as they stand.
  package var androidName = PersonName()
  /// The phone, of eras iOS and unified, as it stands.
  package var phone: String?
  /// Android's phone, as it stands.
  package var telefono: String?
  /// Whether the account is active, of eras iOS and unified.
  package var isActive: Bool?
  /// Android's isActive.
  package var activo: Bool?
  /// The role, as it stands; see ``UserRole``.
  package var role: String?
  /// Whether onboarding is over.
  package var onboardingCompleted: Bool?
  /// The values of another type than their field's, in the order of ``UserField``.
  package var wrongTypes: [WrongType] = []

  /// Reads a document's fields.
  package init(_ fields: FieldMap) {
    for index in fields.entries.indices {
      guard let field = UserField(exactly: fields.entries[index].name) else { continue }
      switch fields.entries[index].value {
      case .null: break
      case .string(let text) where !field.isBoolean:
        if !GymText.isBlank(text) { set(field, to: text) }
      case .boolean(let truth) where field.isBoolean: set(field, to: truth)
      case let value: wrongTypes.append(WrongType(field: field, value: value))
      }
    }
    if wrongTypes.count > 1 {
      let found = wrongTypes
      wrongTypes = UserField.allCases.compactMap { field in found.first { $0.field == field } }
    }
  }

  /// The phone as the app's reader finds it: unified and iOS first, then Android's; nil where there is none.
  package var effectivePhone: String? { phone ?? telefono }

  /// Whether the account is active as the app's reader finds it: isActive, else activo, else true.
  package var effectiveIsActive: Bool { isActive ?? activo ?? true }

  /// The full name as the app's reader finds it: fullName, else the parts joined; nil where there is none.
  package var effectiveFullName: String? {
    if let fullName { return fullName }
    let joined = unifiedName.filled(from: androidName).joined
    return joined.isEmpty ? nil : joined
  }

  private mutating func set(_ field: UserField, to text: String) {
    switch field {
    case .fullName: fullName = text
    case .firstName: unifiedName.firstName = text
    case .paternalLastName: unifiedName.paternalLastName = text
    case .maternalLastName: unifiedName.maternalLastName = text
    case .phone: phone = text
    case .role: role = text
    case .nombre: androidName.firstName = text
    case .primerApellido: androidName.paternalLastName = text
    case .segundoApellido: androidName.maternalLastName = text
    case .telefono: telefono = text
    case .isActive, .onboardingCompleted, .activo: break
    }
  }

  private mutating func set(_ field: UserField, to truth: Bool) {
    switch field {
    case .isActive: isActive = truth
    case .onboardingCompleted: onboardingCompleted = truth
    case .activo: activo = truth
    default: break
    }
  }
}
