import Schema

/// The rules that a single document satisfies or violates.
enum DocumentRules {
  /// The rules that correspond to schema violations.
  static let ofViolations: Set<IntegrityRule> = [
    .idMissing, .idMismatch, .wrongType, .foreignKeyMissing, .requiredMissing, .valueUnknown, .format, .range,
    .unreadable, .fieldUnexpected, .fieldUnknown, .documentID,
  ]

  /// Returns the findings of some rules in a document of a declared collection.
  static func findings(
    in document: RawDocument,
    of collection: CollectionSchema,
    _ rules: Set<IntegrityRule>
  ) -> [IntegrityFinding] {
    var findings: [IntegrityFinding] = []
    // For a subset of the rules only their fields were read, so that other rules would report fields as missing.
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

  /// Returns the URLs in a document that point to the bucket of another environment.
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
