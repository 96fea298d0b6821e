import FirestoreModels

/// The rules that one document alone decides.
enum DocumentRules {
  /// What they find in a document of the gym's collections.
  ///
  /// - Parameter collection: The document's collection; ``IntegritySchema/groupMembers`` for a member of a group.
  static func findings(in document: RawDocument, of collection: CollectionPath) -> [IntegrityFinding] {
    var findings: [IntegrityFinding] = []
    if let finding = id(document, of: collection) { findings.append(finding) }
    // Fields of other documents of app_config are not the gym's to know.
    if collection == IntegritySchema.appConfig, document.path != IntegritySchema.setup { return findings }
    for (field, type) in IntegritySchema.types(of: collection) {
      guard let value = document.fields.present(field), !type.takes(value) else { continue }
      findings.append(
        IntegrityFinding(
          .wrongType,
          document.path,
          field: field,
          value: value,
          "\(field) is \(value.typeName), not \(type.rawValue)."
        )
      )
    }
    for key in IntegritySchema.foreignKeys(of: collection)
    where !key.isOptional && document.fields.present(key.field) == nil {
      findings.append(
        IntegrityFinding(
          .foreignKeyMissing,
          document.path,
          field: key.field,
          "\(key.field) is missing."
        )
      )
    }
    if collection == IntegritySchema.payments, let finding = snapshot(document) { findings.append(finding) }
    return findings
  }

  private static func id(_ document: RawDocument, of collection: CollectionPath) -> IntegrityFinding? {
    switch document.fields.present("id") {
    case nil:
      if IntegritySchema.withoutID.contains(collection) { return nil }
      return IntegrityFinding(
        .idMissing,
        document.path,
        field: "id",
        "The document has no id."
      )
    case .string(let id)? where id.isIdentical(to: document.path.id): return nil
    case let value?:
      return IntegrityFinding(
        .idMismatch,
        document.path,
        field: "id",
        value: value,
        value.string == nil
          ? "id is \(value.typeName), and the document's id is text." : "id is not the document's id."
      )
    }
  }

  private static func snapshot(_ payment: RawDocument) -> IntegrityFinding? {
    guard case .string(let type)? = payment.fields["type"], type.isIdentical(to: "membership"),
      payment.fields.present("membershipPlanSnapshot") == nil
    else { return nil }
    return IntegrityFinding(
      .paymentSnapshotMissing,
      payment.path,
      field: "membershipPlanSnapshot",
      "A payment of type membership carries no snapshot of the plan."
    )
  }
}

extension FieldMap {
  /// The value of a field, nil where it is absent or null.
  func present(_ field: String) -> Value? {
    self[field].flatMap { $0.isNull ? nil : $0 }
  }

  /// The id that a foreign key holds: a text that is not empty.
  func foreignKey(_ field: String) -> String? {
    guard case .string(let id)? = self[field], !id.isEmpty else { return nil }
    return id
  }

  /// Whether a text field says this, to the byte.
  func says(_ text: String, _ field: String) -> Bool {
    self[field]?.string?.isIdentical(to: text) ?? false
  }

  /// Whether the first of these fields that is there says true; true where none is.
  func isActive(_ fields: String...) -> Bool {
    for field in fields {
      if let value = present(field) { return value.boolean ?? false }
    }
    return true
  }
}
