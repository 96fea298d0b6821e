import Schema

/// The rules that one document alone decides.
enum DocumentRules {
  /// Those that follow from the violations of a schema.
  static let ofViolations: Set<IntegrityRule> = [
    .idMissing, .idMismatch, .wrongType, .foreignKeyMissing, .requiredMissing, .valueUnknown, .format, .range,
    .unreadable, .fieldUnexpected, .fieldUnknown, .documentID,
  ]

  /// What some rules find in a document of a declared collection.
  static func findings(
    in document: RawDocument,
    of collection: CollectionSchema,
    _ rules: Set<IntegrityRule>
  ) -> [IntegrityFinding] {
    var findings: [IntegrityFinding] = []
    // Of a few rules only their fields were read, so that the others would find what is not there.
    for violation in rules.isDisjoint(with: ofViolations) ? [] : collection.violations(in: document) {
      findings.append(finding(violation, document, collection))
      guard collection.isDecodedStrictly, violation.kind == .type || violation.kind == .missing,
        let field = violation.field
      else { continue }
      findings.append(
        IntegrityFinding(
          .unreadable,
          document.path,
          field: field.description,
          value: violation.value,
          "\(field) is \(violation.isMissing ? "missing" : found(violation)); an application that expects \(violation.expected) throws, and its entire list is lost."
        )
      )
    }
    for field in rules.contains(.hidden) ? collection.hidingFields(in: document) : [] {
      findings.append(
        IntegrityFinding(
          .hidden,
          document.path,
          field: field.description,
          "\(field) is missing; an application that orders or filters by it does not see the document."
        )
      )
    }
    return findings
  }

  /// The URLs of a document that point to the bucket of another environment.
  static func foreignBuckets(
    in document: RawDocument,
    _ fields: [FieldPath],
    _ buckets: StorageBuckets
  ) -> [IntegrityFinding] {
    fields.compactMap { field in
      guard let text = document.fields[field]?.string,
        let environment = buckets.foreignEnvironment(of: text)
      else { return nil }
      return IntegrityFinding(
        .foreignBucket,
        document.path,
        field: field.description,
        value: .string(text),
        "\(field) is a file in the bucket of \(environment)."
      )
    }
  }

  private static func found(_ violation: SchemaViolation) -> String { violation.value?.typeName ?? "missing" }

  private static func finding(
    _ violation: SchemaViolation,
    _ document: RawDocument,
    _ collection: CollectionSchema
  ) -> IntegrityFinding {
    let field = violation.field?.description ?? ""
    let found = found(violation)
    let (rule, message): (IntegrityRule, String) =
      switch violation.kind {
      case .type: (.wrongType, "\(field) is \(found), not \(violation.expected).")
      case .missing:
        if let path = violation.field, collection.field(path)?.reference != nil {
          (.foreignKeyMissing, "\(field) is missing.")
        } else {
          (.requiredMissing, "\(field) is \(violation.value == nil ? "missing" : "blank").")
        }
      case .unknownValue: (.valueUnknown, "\(field) is not \(violation.expected).")
      case .format: (.format, "\(field) is not \(violation.expected).")
      case .range: (.range, "\(field) is not \(violation.expected).")
      case .forbidden: (.fieldUnexpected, "The documents of \(collection.pattern) have no field \(field).")
      case .undeclared: (.fieldUnknown, "The schema does not declare \(field).")
      case .idMissing: (.idMissing, "The document has no \(field).")
      case .idMismatch:
        (
          .idMismatch,
          violation.value?.string == nil
            ? "\(field) is \(found), and the document's id is text." : "\(field) is not the document's id."
        )
      case .documentID: (.documentID, "The document's id is not \(violation.expected).")
      }
    return IntegrityFinding(
      rule,
      document.path,
      field: violation.field?.description,
      value: violation.field == nil ? nil : violation.value,
      message
    )
  }
}
