/// A user as the app reads it: for each field the unified one, or else the iOS app's, or else the Android app's.
///
/// A value that is missing, blank or of another type counts as missing and is never an error.
package struct AppUser: Identifiable, Equatable, Sendable {
  /// Which app wrote a document, judging by its fields.
  package enum Era: String, Sendable, CaseIterable {
    /// Full name, name parts and `isActive`, and none of Android's fields.
    case unified
    /// A full name without parts, and none of Android's fields.
    case ios
    /// Only Android's fields.
    case android
    /// Android's fields together with others.
    case mixed
    /// Too few fields to tell.
    case unknown
  }

  package var id: String
  package var email: String?
  /// `fullName`, or else the joined parts.
  package var fullName: String?
  package var phone: String?
  /// `isActive`, or else `activo`, or else true.
  package var isActive: Bool
  package var role: String?
  package var era: Era

  package init(_ document: RawDocument) {
    let fields = document.fields
    let own = UserFields(fields)
    id = document.path.id
    email = fields["email"]?.string
    fullName = own.effectiveFullName
    phone = own.effectivePhone
    isActive = own.effectiveIsActive
    role = fields[UserField.role.rawValue]?.string
    era = Self.era(of: fields)
  }

  /// Returns the document with ``fullName``, ``phone`` and ``isActive`` as the app reads them, and with its ``era`` in a field of
  /// that name.
  ///
  /// A document of another collection is returned unchanged.
  package static func asRead(_ document: RawDocument) -> RawDocument {
    guard document.path.collection == GymCollection.users else { return document }
    let user = AppUser(document)
    var read = document
    read.fields[UserField.fullName.rawValue] = user.fullName.map { .string($0) }
    read.fields[UserField.phone.rawValue] = user.phone.map { .string($0) }
    read.fields[UserField.isActive.rawValue] = .boolean(user.isActive)
    read.fields["era"] = .string(user.era.rawValue)
    return read
  }

  /// Whether ``asRead(_:)`` overwrites a field, so that it does not show the stored value.
  package static func isShown(_ field: FieldPath) -> Bool {
    [UserField.fullName, .phone, .isActive].contains { field == FieldPath(field: $0.rawValue) }
      || field == FieldPath(field: "era")
  }

  private static let androidFields: [UserField] = [
    .nombre, .primerApellido, .segundoApellido, .telefono, .activo,
  ]
  private static let otherFields: [UserField] = [
    .fullName, .firstName, .paternalLastName, .maternalLastName, .phone, .isActive,
  ]

  private static func era(of fields: FieldMap) -> Era {
    func has(_ field: UserField) -> Bool { fields[field.rawValue].map { !$0.isNull } ?? false }
    let isAndroid = androidFields.contains(where: has)
    let isOther = otherFields.contains(where: has)
    if isAndroid { return isOther ? .mixed : .android }
    guard has(.fullName) else { return .unknown }
    if !has(.firstName) { return .ios }
    return has(.isActive) ? .unified : .unknown
  }
}
