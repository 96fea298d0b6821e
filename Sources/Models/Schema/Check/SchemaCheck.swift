/// A way in which a document differs from its collection's schema.
package struct SchemaViolation: Sendable, Equatable {
  /// The kinds; the raw value is the code in reports.
  package enum Kind: String, Sendable, CaseIterable {
    /// A field has a value of another type.
    case type = "wrong-type"
    /// A required field is absent, null or blank.
    case missing = "required-missing"
    /// A value is not one of the permitted values.
    case unknownValue = "value-unknown"
    case format
    case range
    /// A forbidden field is present.
    case forbidden = "field-unexpected"
    /// An undeclared field is present where the schema permits none.
    case undeclared = "field-unknown"
    /// The field with the document's ID is absent.
    case idMissing = "id-missing"
    /// The field with the document's ID holds another ID.
    case idMismatch = "id-mismatch"
    /// The document's ID does not have the declared form.
    case documentID = "document-id"
  }

  package var kind: Kind
  /// The field; nil for the document's own ID.
  package var field: FieldPath?
  /// The value that was found; nil if there is none.
  package var value: Value?
  /// What the schema expects, such as "integer" or "one of activa, cancelada".
  package var expected: String

  /// Whether the value is missing; a blank text counts as missing.
  package var isMissing: Bool { kind == .missing || kind == .idMissing }

  package init(_ kind: Kind, _ field: FieldPath?, _ value: Value?, expected: String) {
    self.kind = kind
    self.field = field
    self.value = value
    self.expected = expected
  }
}

extension CollectionSchema {
  /// Returns how a document differs from the schema, in the order of the fields; empty if the schema does not apply to it.
  ///
  /// Null counts as absent. A value of the wrong type is reported only as such. The fields of an absent map are not reported as
  /// missing.
  package func violations(in document: RawDocument) -> [SchemaViolation] {
    inMemory { () throws(WireError) in try violations(in: document.fields, of: document.path) }
  }

  /// Returns how a document in parsed JSON differs from the schema, as ``violations(in:)-(RawDocument)``.
  ///
  /// - Throws: ``WireError`` if the document must be decoded to find out.
  package func violations(in document: WireDocument) throws(WireError) -> [SchemaViolation] {
    try violations(in: document.fields(), of: document.path)
  }

  private func violations<Fields: ReadableFields>(
    in fields: Fields,
    of path: DocumentPath
  ) throws(WireError) -> [SchemaViolation] {
    if !covers(path) { return [] }
    var violations: [SchemaViolation] = []
    if documentID != nil || idField != nil { try checkID(path.id, in: fields, &violations) }
    try check(fields, &violations)
    for path in forbidden {
      if let content = try fields.content(at: path.segments[...]) {
        violations.append(.init(.forbidden, path, try content.value(), expected: "no field of that name"))
      }
    }
    if !expectsUnknownFields { try checkUndeclared(fields, below: [], &violations) }
    return violations
  }

  private func check<Fields: ReadableFields>(
    _ document: Fields,
    _ violations: inout [SchemaViolation]
  ) throws(WireError) {
    var found: [(index: Int, violation: SchemaViolation)] = []
    let idIndex = idField.flatMap { byPath[$0] }
    // Both are in byte order of their names, so they are traversed together.
    var members = document.makeIterator()
    var member = members.next()
    for checker in checkers {
      var order = -1
      while let (name, _) = member {
        order = name.withBytes { checker.order(of: $0) }
        if order >= 0 { break }
        member = members.next()
      }
      if checker.index == idIndex { continue }
      var content: Fields.Content?
      if order == 0, let (_, value) = member {
        content = checker.nested.isEmpty ? value : try value.content(at: checker.nested)
      }
      if let violation = try checker.violation(of: content, in: document) {
        found.append((checker.index, violation))
      }
    }
    if found.count > 1 { found.sort { $0.index < $1.index } }
    violations += found.map { $0.violation }
  }

  /// Returns the fields whose absence hides a document from an application that orders or filters by them.
  package func hidingFields(in document: RawDocument) -> [FieldPath] {
    if !covers(document.path) { return [] }
    let unordered = orderedBy.filter { document.fields[$0] == nil }
    let unfiltered = filteredBy.filter { document.fields.presentValue($0) == nil && !unordered.contains($0) }
    return unordered + unfiltered
  }

  /// Returns the value of a field; nil if it is absent, null, blank or of the wrong type.
  package func usableValue(_ path: FieldPath, in fields: FieldMap) -> Value? {
    guard let value = fields.presentValue(path), field(path)?.accepts(value) ?? true else { return nil }
    return value.string.map(PlainText.isBlank) ?? false ? nil : value
  }

  private func checkID<Fields: ReadableFields>(
    _ id: String,
    in fields: Fields,
    _ violations: inout [SchemaViolation]
  ) throws(WireError) {
    switch documentID {
    case .pattern(let pattern)? where !pattern.matches(id):
      violations.append(.init(.documentID, nil, .string(id), expected: "one that matches \(pattern.text)"))
    case .email? where !Self.isNormalisedEmail(id):
      violations.append(.init(.documentID, nil, .string(id), expected: "a lower-case email address"))
    default: break
    }
    guard let idField else { return }
    guard let content = try fields.content(at: idField.segments[...]), case let view = try content.view(),
      !view.isNull
    else {
      violations.append(.init(.idMissing, idField, nil, expected: "the document's ID"))
      return
    }
    if case .string(let text) = view, text.compare(with: id) == 0 { return }
    violations.append(.init(.idMismatch, idField, try content.value(), expected: "the document's ID"))
  }

  private static func isNormalisedEmail(_ id: String) -> Bool {
    FieldFormat.email.matches(id) && id.lowercased().isIdentical(to: id)
  }

  private func checkUndeclared<Fields: ReadableFields>(
    _ fields: Fields,
    below segments: [String],
    _ violations: inout [SchemaViolation]
  ) throws(WireError) {
    var members = fields.makeIterator()
    while let (name, value) = members.next() {
      guard let path = FieldPath(segments: segments + [name.copy]) else { continue }
      guard field(path) != nil else {
        if !forbidden.contains(path) {
          violations.append(.init(.undeclared, path, try value.value(), expected: "a declared field"))
        }
        continue
      }
      if value.isMap, case .map(let inner) = try value.view(), try inner.vectorComponents() == nil,
        self.fields.contains(where: { $0.path != path && path.isPrefix(of: $0.path) })
      {
        try checkUndeclared(inner, below: path.segments, &violations)
      }
    }
  }
}

extension FieldMap {
  /// Returns the value at a path; nil if it is absent or null.
  package func presentValue(_ path: FieldPath) -> Value? {
    let value = path.segments.count == 1 ? self[path.segments[0]] : self[path]
    return value.flatMap { $0.isNull ? nil : $0 }
  }
}

extension ValueRange: CustomStringConvertible {
  /// The bounds in words: "at least 1", "from 1 to 31".
  package var description: String {
    switch (minimum, maximum) {
    case (let low?, let high?): "from \(low.literal) to \(high.literal)"
    case (let low?, nil): "at least \(low.literal)"
    case (nil, let high?): "at most \(high.literal)"
    case (nil, nil): "anything"
    }
  }
}
