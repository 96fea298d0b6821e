package import Schema

extension MigrationStep {
  /// Returns why the schema forbids a value that the step writes to every document; nil unless all collections forbid it, or if a
  /// later step overwrites the field.
  ///
  /// What depends on the document is checked when it is processed (``DeclarativeMigration/outcome(for:)``).
  func breach(of collections: [CollectionSchema], before later: ArraySlice<MigrationStep>) -> String? {
    for (field, value) in constants {
      let isFinal = !later.contains { step in
        step.writes.contains { $0.isPrefix(of: field) || field.isPrefix(of: $0) }
      }
      guard isFinal else { continue }
      let breaches = collections.compactMap { collection in
        collection.breach(by: value, in: field).map { (collection, $0) }
      }
      guard breaches.count == collections.count else { continue }
      // In a collection group, a collection that declares the field explains more.
      let shown = breaches.first { $0.1.kind != .undeclared } ?? breaches.first
      if let (collection, breach) = shown { return Self.cause(breach, of: value, in: field, collection) }
    }
    return nil
  }

  /// The values that the step writes literally.
  private var constants: [(FieldPath, Value)] {
    switch self {
    case .set(let field, let value), .setIfMissing(let field, let value): [(field, value)]
    case .map(let field, let replacements, _): replacements.map { (field, $0.to) }
    default: []
    }
  }

  private static func cause(
    _ breach: SchemaViolation,
    of value: Value,
    in field: FieldPath,
    _ collection: CollectionSchema
  ) -> String {
    let name = breach.field ?? field
    if breach.kind == .forbidden {
      return "the schema of \(collection.pattern) lets no document have \(name): leave it out"
    }
    let found = (breach.value ?? value).literal
    let expected = "the schema of \(collection.pattern) expects \(breach.expected) in \(name)"
    // Suggests the same characters as a text, in place of a number or a boolean.
    guard breach.kind == .type, value.string == nil, collection.field(name)?.accepts(.string(found)) ?? false
    else { return "\(expected), and not \(found): correct it" }
    return "\(expected), and \(found) is \(value.typeName): write \(JSONWriter.text { $0.string(found) })"
  }
}

extension CollectionSchema {
  /// Returns how a value in a field violates the schema regardless of the document.
  fileprivate func breach(by value: Value, in field: FieldPath) -> SchemaViolation? {
    var fields = FieldMap()
    fields[field] = value
    let document = RawDocument(path: DocumentPath(pattern, "any"), fields: fields)
    return breaches(by: document, isPartial: true).first { violation in
      // The ID of the document is not known.
      violation.kind != .documentID && violation.kind != .idMismatch
    }
  }
}

extension Finding {
  /// Returns the finding about a document that would violate the schema more than it does.
  package static func breach(_ violation: SchemaViolation, of path: DocumentPath) -> Finding {
    let isMissing = violation.kind == .missing
    let what = isMissing ? "a required field would have no value" : "expected \(violation.expected)"
    return Finding(
      .reject,
      path: path,
      code: violation.kind.rawValue,
      field: violation.field?.description,
      found: violation.value,
      message: "It breaks the schema: \(what)."
    )
  }
}
