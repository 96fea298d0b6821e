import FirestoreModels
import GymModels
import MigrationEngine

/// The collections that the migrations of the catalogue read and write.
enum GymCollection {
  static let users = CollectionPath(nil, "users")
  static let userEmails = CollectionPath(nil, "user_emails")
  static let members = CollectionPath(nil, "members")
  static let payments = CollectionPath(nil, "payments")
  static let classAttendance = CollectionPath(nil, "classAttendance")
  static let groups = CollectionPath(nil, "groups")
}

extension CommonField {
  static let id = "id"
  static let email = "email"
  static let phone = "phone"
  static let createdAt = "createdAt"
}

extension RawDocument {
  /// The finding of a value of another type than its field's.
  func wrongType(_ field: UserField, found: Value) -> Finding {
    wrongType(field.rawValue, found: found, wanted: field.isBoolean ? "boolean" : "string")
  }

  /// The finding of a value of another type than its field's.
  func wrongType(_ field: String, found: Value, wanted: String) -> Finding {
    Finding(
      .reject,
      path: path,
      code: "wrong-type",
      field: field,
      found: found,
      message: "\(field) is \(found.typeName), not \(wanted); the document is left as it is."
    )
  }

  /// The text of a field; nil where it is missing: absent, null or blank.
  ///
  /// - Throws: The finding where it is no text.
  func text(_ field: String) throws(WrongType) -> String? {
    switch fields[field] {
    case nil, .null?: return nil
    case .string(let text)?: return GymText.isBlank(text) ? nil : text
    case let value?: throw WrongType(finding: wrongType(field, found: value, wanted: "string"))
    }
  }
}

/// A value that is not of its field's type, as the finding about it.
struct WrongType: Error {
  let finding: Finding
}

extension Outcome {
  /// The document is left alone as a whole.
  init(_ wrongType: WrongType) {
    self.init(.skip, findings: [wrongType.finding])
  }
}
