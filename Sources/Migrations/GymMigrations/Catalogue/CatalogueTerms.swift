import Schema

/// Fields that several collections have.
enum CommonField {
  static let id = "id"
  static let email = "email"
  static let phone = "phone"
  static let createdAt = "createdAt"
}

extension RawDocument {
  /// Returns a change that edits fields, with the update time set by the service if the gym's collection has one.
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

  /// Returns a finding about a field, with the field's value.
  func finding(
    _ kind: Finding.Kind,
    _ code: some RawRepresentable<String>,
    _ field: String,
    proposal: FieldMap = FieldMap(),
    _ message: String
  ) -> Finding {
    finding(kind, code.rawValue, field, fields[field], proposal: proposal, message)
  }

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

  /// Returns the value of a field, converted by `read`; nil if it is absent or null.
  ///
  /// - Throws: The finding if `read` returns nil, that is, if the type is not `wanted`.
  func value<Result>(
    _ field: String,
    _ wanted: String,
    _ read: (Value) -> Result?
  ) throws(WrongType) -> Result? {
    guard let value = fields[field], !value.isNull else { return nil }
    if let found = read(value) { return found }
    throw WrongType(finding: wrongType(field, found: value, wanted: wanted))
  }

  /// Returns the text of a field; nil if it is absent, null or blank.
  ///
  /// - Throws: The finding if it is not a text.
  func text(_ field: String) throws(WrongType) -> String? {
    try value(field, "string", \.string)?.nilIfBlank
  }
}

/// The finding about a value with the wrong type.
struct WrongType: Error {
  let finding: Finding
}

extension Outcome {
  /// Leaves the entire document alone.
  init(_ wrongType: WrongType) {
    self.init(.skip, findings: [wrongType.finding])
  }
}
