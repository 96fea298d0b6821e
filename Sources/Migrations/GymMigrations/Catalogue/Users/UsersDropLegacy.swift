/// The contract step after ``UsersUnify``: removes the fields of the Android era whose unified fields have the same content.
///
/// All fields of a document are removed, or none: if one of the five has content that its unified field lacks, the document is
/// listed instead. A legacy field that is null or blank has no content and may be removed in any case.
package struct UsersDropLegacy: Migration {
  /// The findings about a document; the raw value is the code in reports.
  ///
  /// All are ``Finding/Kind/review`` except for `wrongType`.
  package enum Code: String, Sendable, CaseIterable {
    /// The legacy field has content and the unified field is missing.
    case unifiedMissing = "unified-missing"
    /// Both fields have content that differs.
    case legacyDisagrees = "legacy-disagrees"
    /// `fullName` differs from the parts.
    case fullNameDisagrees = "fullname-disagrees"
    /// A value does not have its field's type. A reject.
    case wrongType = "wrong-type"
  }

  /// Why a field is removed, in this order; the raw value is the reason in plans.
  package enum Reason: String, Sendable, CaseIterable {
    case nombre = "nombre-removed"
    case primerApellido = "primerApellido-removed"
    case segundoApellido = "segundoApellido-removed"
    case telefono = "telefono-removed"
    case activo = "activo-removed"
  }

  package let id = "users-drop-legacy"
  package let summary =
    "Removes Android's fields from users whose unified fields say the same (by name only)."
  package let reads = [GymCollection.users]

  private static let pairs: [(unified: UserField, legacy: UserField, reason: Reason)] = [
    (.firstName, .nombre, .nombre), (.paternalLastName, .primerApellido, .primerApellido),
    (.maternalLastName, .segundoApellido, .segundoApellido), (.phone, .telefono, .telefono),
    (.isActive, .activo, .activo),
  ]

  package var strategy: MigrationStrategy { .perDocument(reads, outcome) }

  package init() {}

  package func outcome(for document: RawDocument) -> Outcome {
    let there = Self.pairs.filter { document.fields[$0.legacy.rawValue] != nil }
    if there.isEmpty { return Outcome(.unchanged) }
    let user = UserFields(document.fields)
    let read: Set<UserField> = Set(Self.pairs.flatMap { [$0.unified, $0.legacy] } + [.fullName])
    let wrong = user.wrongTypes.filter { read.contains($0.field) }
    if !wrong.isEmpty {
      return Outcome(.skip, findings: wrong.map { document.wrongType($0.field, found: $0.value) })
    }

    var findings = Self.pairs.compactMap { finding($0.unified, $0.legacy, user, of: document) }
    if findings.isEmpty, let finding = fullNameFinding(user, of: document) { findings = [finding] }
    if !findings.isEmpty { return Outcome(.skip, findings: findings) }

    var edit = FieldEdit()
    for pair in there { edit.set(pair.legacy.rawValue, to: nil) }
    return Outcome(.change(document.changing(edit, reasons: there.map(\.reason.rawValue))))
  }

  // MARK: Findings

  /// Returns what prevents the removal of one legacy field; nil for nothing.
  private func finding(
    _ unified: UserField,
    _ legacy: UserField,
    _ user: UserFields,
    of document: RawDocument
  ) -> Finding? {
    let (isMissing, saysSame): (Bool, Bool)
    switch legacy {
    case .activo:
      guard let activo = user.activo else { return nil }
      (isMissing, saysSame) = (user.isActive == nil, user.isActive == activo)
    case .telefono:
      guard let telefono = user.telefono else { return nil }
      (isMissing, saysSame) = (
        user.phone == nil, user.phone.map { PhoneNumber.saySame($0, telefono) } ?? false
      )
    default:
      guard let part = PersonName.Part.allCases.first(where: { UserField($0) == unified }),
        let old = user.androidName[part]
      else { return nil }
      let new = user.unifiedName[part]
      (isMissing, saysSame) = (new == nil, new.map { PlainText.saySame($0, old) } ?? false)
    }
    if saysSame { return nil }
    return Self.finding(
      isMissing ? .unifiedMissing : .legacyDisagrees,
      [unified, legacy],
      of: document,
      isMissing
        ? "\(legacy.rawValue) says something and \(unified.rawValue) is missing; unify first."
        : "\(unified.rawValue) and \(legacy.rawValue) do not say the same."
    )
  }

  /// Returns what prevents the removal of the name parts: a fullName that is missing or differs, because the parts may be the
  /// only means to correct it.
  private func fullNameFinding(_ user: UserFields, of document: RawDocument) -> Finding? {
    if user.androidName.isEmpty { return nil }
    guard let fullName = user.fullName else {
      return Self.finding(
        .unifiedMissing,
        [.fullName] + PersonName.Part.allCases.compactMap { UserField($0).legacy },
        of: document,
        "The parts of the name say something and fullName is missing; unify first."
      )
    }
    if user.unifiedName.agrees(withFullName: fullName) { return nil }
    return Self.finding(
      .fullNameDisagrees,
      [.fullName] + PersonName.Part.allCases.map(UserField.init),
      of: document,
      "fullName and the parts of the name do not say the same."
    )
  }

  private static func finding(
    _ code: Code,
    _ fields: [UserField],
    of document: RawDocument,
    _ message: String
  ) -> Finding {
    var found = FieldMap()
    for field in fields { found[field.rawValue] = document.fields[field.rawValue] }
    let value = found.isEmpty ? nil : Value.map(found)
    return document.finding(.review, code.rawValue, fields[0].rawValue, value, message)
  }
}
