package import FirestoreModels

/// The rules of `user_emails`, the index from an email to the account that first bore it.
package enum EmailIndex {
  /// Why an email has no entry; the raw value is the code in reports.
  package enum Problem: String, Sendable, CaseIterable {
    /// Nothing is left of it.
    case empty = "email-empty"
    /// There is no `@`.
    case noAt = "email-no-at"
    /// It holds a `/`, which no id may.
    case slash = "email-slash"
    /// It is longer than an id may be: 1,500 bytes.
    case tooLong = "email-too-long"
    /// It is an id that the service keeps for itself: `.`, `..`, `__x__`.
    case reserved = "email-reserved"
  }

  /// The email as the entry's id: lower-cased, then trimmed of white space and newlines.
  ///
  /// It is exactly what the iOS app does, `lowercased().trimmingCharacters(in: .whitespacesAndNewlines)`, without
  /// Foundation: that set is Unicode's `White_Space` and U+200B.
  package static func normalised(_ email: String) -> String {
    let scalars = email.lowercased().unicodeScalars
    guard let first = scalars.firstIndex(where: { !isTrimmed($0) }),
      let last = scalars.lastIndex(where: { !isTrimmed($0) })
    else { return "" }
    return String(scalars[first...last])
  }

  /// Why a normalised email cannot be an entry's id, the first that holds in the order of ``Problem``; nil where
  /// it can.
  package static func problem(ofNormalised email: String) -> Problem? {
    let bytes = email.utf8
    if bytes.isEmpty { return .empty }
    if !bytes.contains(UInt8(ascii: "@")) { return .noAt }
    if bytes.contains(UInt8(ascii: "/")) { return .slash }
    if bytes.count > 1500 { return .tooLong }
    let doubled = "__".utf8
    if bytes.count >= 4, bytes.starts(with: doubled), bytes.suffix(2).elementsEqual(doubled) {
      return .reserved
    }
    if bytes.elementsEqual(".".utf8) || bytes.elementsEqual("..".utf8) { return .reserved }
    return nil
  }

  private static func isTrimmed(_ scalar: Unicode.Scalar) -> Bool {
    GymText.isWhiteSpace(scalar) || scalar == "\u{200B}"
  }
}

/// An entry of `user_emails`; its id is the normalised email.
///
/// Its `createdAt` comes from the server and is not among these; it has neither `updatedAt` nor `id`.
package struct UserEmailEntry: Sendable {
  /// The names of its fields in the database.
  package enum Field {
    /// The id of the account.
    package static let primaryUserId = "primaryUserId"
    /// The normalised email, equal to the entry's id.
    package static let email = "email"
    /// When it was made.
    package static let createdAt = "createdAt"
  }

  /// The id of the account that first bore the email.
  package var primaryUserId: String
  /// The normalised email.
  package var email: String

  /// Makes an entry.
  package init(primaryUserId: String, email: String) {
    self.primaryUserId = primaryUserId
    self.email = email
  }

  /// The entry's fields set into others, which stay.
  package func fields(over fields: FieldMap = FieldMap()) -> FieldMap {
    var out = fields
    out[Field.primaryUserId] = .string(primaryUserId)
    out[Field.email] = .string(email)
    return out
  }
}
