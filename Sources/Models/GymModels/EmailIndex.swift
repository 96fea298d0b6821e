/// The rules of `user_emails`, the index from an email address to the first account that used it.
package enum EmailIndex {
  /// Why an email address cannot have an entry; the raw value is the code in reports.
  package enum Problem: String, Sendable, CaseIterable {
    /// The address is empty after normalization.
    case empty = "email-empty"
    case noAt = "email-no-at"
    /// It contains a `/`, which no ID may contain.
    case slash = "email-slash"
    /// It exceeds the maximum size of an ID: 1,500 bytes.
    case tooLong = "email-too-long"
    /// It is a reserved ID: `.`, `..`, `__x__`.
    case reserved = "email-reserved"

    package var message: String {
      switch self {
      case .empty: "it is empty"
      case .noAt: "it has no @"
      case .slash: "it has a /, which no document ID may have"
      case .tooLong: "it is longer than a document ID may be"
      case .reserved: "it is a reserved document ID"
      }
    }
  }

  /// The email address as an entry's ID: lower-cased, then trimmed.
  ///
  /// Equivalent to `lowercased().trimmingCharacters(in: .whitespacesAndNewlines)` in the iOS app, but without Foundation: that
  /// set is Unicode's `White_Space` and U+200B.
  package static func normalised(_ email: String) -> String {
    PlainText.trimmed(email.lowercased()) { PlainText.isWhiteSpace($0) || $0 == "\u{200B}" }
  }

  /// Returns the first problem, in the order of ``Problem``, that keeps a normalized address from being an ID; nil if it is
  /// valid.
  package static func problem(ofNormalised email: String) -> Problem? {
    let bytes = email.utf8
    if bytes.isEmpty { return .empty }
    if !bytes.contains(UInt8(ascii: "@")) { return .noAt }
    if bytes.contains(UInt8(ascii: "/")) { return .slash }
    if bytes.count > PathLimits.maximumIDBytes { return .tooLong }
    let isReserved = PathLimits.isReserved(email) || [".", ".."].contains(where: email.isIdentical)
    return isReserved ? .reserved : nil
  }
}

/// An entry of `user_emails`; its ID is the normalized email address.
///
/// The server sets `createdAt`; there is neither `updatedAt` nor `id`.
package struct UserEmailEntry: Sendable {
  /// The field names in the database.
  package enum Field {
    package static let primaryUserId = "primaryUserId"
    /// The normalized address, equal to the entry's ID.
    package static let email = "email"
    package static let createdAt = "createdAt"
  }

  /// The ID of the account that used the address first.
  package var primaryUserId: String
  package var email: String

  package init(primaryUserId: String, email: String) {
    self.primaryUserId = primaryUserId
    self.email = email
  }

  /// Returns the user to whom an entry gives its address; nil if it names none: primaryUserId is missing, blank or not a text.
  package static func primaryUser(in fields: FieldMap) -> String? {
    fields[Field.primaryUserId]?.string?.nilIfBlank
  }

  /// Returns `fields` with this entry's fields set.
  package func fields(over fields: FieldMap = FieldMap()) -> FieldMap {
    var out = fields
    out[Field.primaryUserId] = .string(primaryUserId)
    out[Field.email] = .string(email)
    return out
  }

  /// Returns the change that creates the entry.
  package func creation(because reason: String) -> Change {
    let path = DocumentPath(GymCollection.userEmails, email)
    return Change(creating: path, fields(), stamping: Field.createdAt, reason: reason)
  }
}
