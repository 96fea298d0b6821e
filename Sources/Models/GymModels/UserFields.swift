/// The fields of `users` documents that differ between the three eras, by their database names.
///
/// The unified era has all of the fields from ``fullName`` to ``onboardingCompleted``. The iOS era wrote the same names without
/// the three name parts; the Android era wrote the Spanish ones.
package enum UserField: String, Sendable, CaseIterable {
  case fullName, firstName, paternalLastName, maternalLastName
  case phone, isActive, role, onboardingCompleted
  case nombre, primerApellido, segundoApellido, telefono, activo

  package init(_ part: PersonName.Part) {
    switch part {
    case .first: self = .firstName
    case .paternal: self = .paternalLastName
    case .maternal: self = .maternalLastName
    }
  }

  /// The field with exactly this name; nil for others.
  package init?(exactly name: String) {
    guard let shape = Self.shape(of: name), shape < Self.byShape.count, let field = Self.byShape[shape],
      field.rawValue.isIdentical(to: name)
    else { return nil }
    self = field
  }

  /// The fields by length and first letter of their names, which is unique and makes a fast look-up for every field of every
  /// user.
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

  /// The Android era's field with the same meaning, if it had another name.
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

  /// Whether the field is a boolean; all others are strings.
  package var isBoolean: Bool {
    switch self {
    case .isActive, .onboardingCompleted, .activo: true
    default: false
    }
  }
}

/// The fields of a `users` document, by era.
///
/// A field is missing if it is absent, null or blank text. A value of another type is never converted: it is
/// listed in ``wrongTypes`` and counts as missing.
package struct UserFields: Sendable {
  package struct WrongType: Sendable, Equatable {
    package var field: UserField
    package var value: Value

    package init(field: UserField, value: Value) {
      self.field = field
      self.value = value
    }
  }

  /// The full name of the iOS and unified eras, unchanged.
  package var fullName: String?
  /// The name parts of the unified era, unchanged.
  package var unifiedName = PersonName()
  /// The name parts of the Android era, unchanged.
  package var androidName = PersonName()
  /// The phone number of the iOS and unified eras, unchanged.
  package var phone: String?
  /// The phone number of the Android era, unchanged.
  package var telefono: String?
  /// Whether the account is active, in the iOS and unified eras.
  package var isActive: Bool?
  /// Whether the account is active, in the Android era.
  package var activo: Bool?
  /// The role, unchanged; see ``UserRole``.
  package var role: String?
  package var onboardingCompleted: Bool?
  /// The values of the wrong type, in the order of ``UserField``.
  package var wrongTypes: [WrongType] = []

  package init(_ fields: FieldMap) {
    for index in fields.entries.indices {
      guard let field = UserField(exactly: fields.entries[index].name) else { continue }
      switch fields.entries[index].value {
      case .null: break
      case .string(let text) where !field.isBoolean:
        if !PlainText.isBlank(text) { set(field, to: text) }
      case .boolean(let flag) where field.isBoolean: set(field, to: flag)
      case let value: wrongTypes.append(WrongType(field: field, value: value))
      }
    }
    if wrongTypes.count > 1 {
      let unordered = wrongTypes
      wrongTypes = UserField.allCases.compactMap { field in unordered.first { $0.field == field } }
    }
  }

  /// The phone number as the app reads it: unified and iOS before Android; nil if missing.
  package var effectivePhone: String? { phone ?? telefono }

  /// Whether the account is active as the app reads it: `isActive`, else `activo`, else true.
  package var effectiveIsActive: Bool { isActive ?? activo ?? true }

  /// The full name as the app reads it: `fullName`, else the joined parts; nil if missing.
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

  private mutating func set(_ field: UserField, to flag: Bool) {
    switch field {
    case .isActive: isActive = flag
    case .onboardingCompleted: onboardingCompleted = flag
    case .activo: activo = flag
    default: break
    }
  }
}
