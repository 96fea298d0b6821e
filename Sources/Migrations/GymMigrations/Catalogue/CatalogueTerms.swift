import Schema

/// Fields of several collections.
enum CommonField {
  static let id = "id"
  static let email = "email"
  static let phone = "phone"
  static let createdAt = "createdAt"
}

extension RawDocument {
  /// The change that edits fields, with the update time from the service where the gym's collection has one.
  func changing(_ edit: FieldEdit, reasons: [String]) -> Change {
    changing(edit, of: GymSchema.schema.collection(path.collection), reasons: reasons)
  }

  func wrongType(_ field: UserField, found: Value) -> Finding {
    wrongType(field.rawValue, found: found, wanted: field.isBoolean ? "boolean" : "string")
  }

  func wrongType(_ field: String, found: Value, wanted: String) -> Finding {
    let message = "\(field) is \(found.typeName), not \(wanted); the document is left as it is."
    return finding(.reject, "wrong-type", field, found, message)
  }

  /// A finding about a field, with what the field holds.
  func finding(
    _ kind: Finding.Kind,
    _ code: some RawRepresentable<String>,
    _ field: String,
    proposal: FieldMap = FieldMap(),
    _ message: String
  ) -> Finding {
    finding(kind, code.rawValue, field, fields[field], proposal: proposal, message)
  }

  /// A finding about a field.
  func finding(
    _ kind: Finding.Kind,
    _ code: String,
    _ field: String,
    _ found: Value?,
    proposal: FieldMap = FieldMap(),
    _ message: String
  ) -> Finding {
    Finding(kind, path: path, code: code, field: field, found: found, proposal: proposal, message: message)
  }

  /// The value of a field, as `read` gives it; nil where it is absent or null.
  ///
  /// - Throws: The finding where `read` gives nil, which means another type than `wanted`.
  func value<Result>(
    _ field: String,
    _ wanted: String,
    _ read: (Value) -> Result?
  ) throws(WrongType) -> Result? {
    guard let value = fields[field], !value.isNull else { return nil }
    if let found = read(value) { return found }
    throw WrongType(finding: wrongType(field, found: value, wanted: wanted))
  }

  /// The text of a field; nil where it is missing: absent, null or blank.
  ///
  /// - Throws: The finding where it is no text.
  func text(_ field: String) throws(WrongType) -> String? {
    try value(field, "string", \.string).flatMap { PlainText.isBlank($0) ? nil : $0 }
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
