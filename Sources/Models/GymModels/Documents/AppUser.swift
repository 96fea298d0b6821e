/// A user as the app reads it: field by field the unified one, then that of the iOS era, then that of the Android era.
///
/// A value that is missing, blank or of another type counts as missing, and never is an error.
package struct AppUser: Identifiable, Equatable, Sendable {
  /// Which app wrote a document, as its fields show.
  package enum Era: String, Sendable, CaseIterable {
    /// Full name, name parts and isActive, and nothing of Android's.
    case unified
    /// A full name without parts, and nothing of Android's.
    case ios
    /// Android's fields alone.
    case android
    /// Android's fields beside others.
    case mixed
    /// Too little to say.
    case unknown
  }

  package var id: String
  package var email: String?
  /// `fullName`, else the parts joined.
  package var fullName: String?
  package var firstName: String?
  package var paternalLastName: String?
  package var maternalLastName: String?
  package var phone: String?
  /// `isActive`, else `activo`, else true.
  package var isActive: Bool
  package var role: String?
  package var photoURL: String?
  package var onboardingCompleted: Bool
  package var linkedMemberId: String?
  package var createdAt: Timestamp?
  package var updatedAt: Timestamp?
  package var era: Era

  package init(_ document: RawDocument) {
    let fields = document.fields
    let own = UserFields(fields)
    let name = own.unifiedName.filled(from: own.androidName)
    id = document.path.id
    email = fields["email"]?.string
    fullName = own.effectiveFullName
    firstName = name.firstName
    paternalLastName = name.paternalLastName
    maternalLastName = name.maternalLastName
    phone = own.effectivePhone
    isActive = own.effectiveIsActive
    role = fields[UserField.role.rawValue]?.string
    photoURL = fields["photoURL"]?.string
    onboardingCompleted = own.onboardingCompleted ?? false
    linkedMemberId = fields["linkedMemberId"]?.string
    createdAt = fields["createdAt"]?.timestamp
    updatedAt = fields["updatedAt"]?.timestamp
    era = Self.era(of: fields)
  }

  /// The document with ``fullName``, ``phone`` and ``isActive`` as the app reads them, and its ``era`` in a field of that
  /// name; one of another collection is as it was.
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

  /// Whether ``asRead(_:)`` writes a field, so that what is stored says nothing of it.
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
