package import FirestoreModels

/// A way in which a document differs from its collection's schema.
package struct SchemaViolation: Sendable, Equatable {
  /// The kinds; the raw value is the code in reports.
  package enum Kind: String, Sendable, CaseIterable {
    /// A field has a value of another type.
    case type = "wrong-type"
    /// A required field is absent, null or blank.
    case missing = "required-missing"
    /// A value is not one of those that the field may have.
    case unknownValue = "value-unknown"
    case format
    case range
    /// A field is there that must not be.
    case forbidden = "field-unexpected"
    /// A field is there that the schema does not declare, where it expects none.
    case undeclared = "field-unknown"
    /// The field of the document's ID is absent.
    case idMissing = "id-missing"
    /// The field of the document's ID holds another one.
    case idMismatch = "id-mismatch"
    /// The document's ID does not have the form that the schema gives.
    case documentID = "document-id"
  }

  package var kind: Kind
  /// The field; nil for the document's own ID.
  package var field: FieldPath?
  /// The value that was found; nil where there is none.
  package var value: Value?
  /// What the schema expects, as "integer" or "one of activa, cancelada".
  package var expected: String

  package init(_ kind: Kind, _ field: FieldPath?, _ value: Value?, expected: String) {
    self.kind = kind
    self.field = field
    self.value = value
    self.expected = expected
  }
}

extension FieldSchema {
  /// What the field expects where a value of its types breaks its values, format or range; nil where it does not.
  package func problem(of value: Value) -> String? {
    violation(of: value)?.expected
  }

  func violation(of value: Value) -> SchemaViolation? {
    if let values, !values.contains(value) {
      let shown = values.filter { !deprecated.contains($0) }.map(\.literal).joined(separator: ", ")
      return SchemaViolation(.unknownValue, path, value, expected: "one of \(shown)")
    }
    if let format, let text = value.string, !format.matches(text) {
      return SchemaViolation(.format, path, value, expected: format.description)
    }
    if !range.contains(value) {
      return SchemaViolation(.range, path, value, expected: range.description)
    }
    if !elements.isEmpty, case .array(let values) = value { return elementViolation(in: values) }
    return nil
  }

  /// How the first element that differs from what the schema says of elements does.
  private func elementViolation(in values: [Value]) -> SchemaViolation? {
    var violations: [SchemaViolation] = []
    for (index, value) in values.enumerated() {
      let fields = FieldMap([.init(name: Self.elementName, value: value)])
      for field in elements.indices {
        elements[field].check(fields.presentValue(elements[field].path), in: fields, &violations)
      }
      guard var violation = violations.first else { continue }
      let below = violation.field?.segments.dropFirst().joined(separator: ".") ?? ""
      violation.field = path
      violation.expected = "\(violation.expected) in element \(index)\(below.isEmpty ? "" : ", \(below)")"
      return violation
    }
    return nil
  }

  /// Adds how the field of a document differs.
  ///
  /// - Parameter value: Its value in the document; nil where it is absent or null.
  func check(_ value: Value?, in document: FieldMap, _ violations: inout [SchemaViolation]) {
    guard let value else {
      if isRequired, isParentPresent(in: document) {
        violations.append(
          SchemaViolation(.missing, path, nil, expected: types.isEmpty ? "a value" : typeNames)
        )
      }
      return
    }
    if !accepts(value) {
      violations.append(SchemaViolation(.type, path, value, expected: typeNames))
    } else if let text = value.string, PlainText.isBlank(text) {
      // Optional fields are often written as an empty text, which says nothing.
      if isRequired, reference == nil {
        violations.append(
          SchemaViolation(.missing, path, value, expected: types.isEmpty ? "a value" : typeNames)
        )
      }
    } else if let violation = violation(of: value) {
      violations.append(violation)
    }
  }

  private func isParentPresent(in fields: FieldMap) -> Bool {
    guard path.segments.count > 1, let parent = FieldPath(segments: Array(path.segments.dropLast())) else {
      return true
    }
    return fields[parent]?.map.map { $0.vector == nil } ?? false
  }
}

/// A field of a collection, in a class because copies of it would cost more than most of its checks.
final class FieldChecker: Sendable {
  let field: FieldSchema
  /// Its position among the collection's fields.
  let index: Int
  /// The first segment of its path.
  let top: String
  let isNested: Bool

  init(_ field: FieldSchema, index: Int) {
    self.field = field
    self.index = index
    top = field.path.segments.first ?? ""
    isNested = field.path.segments.count > 1
  }
}

extension CollectionSchema {
  /// How a document differs from the schema, in the order of the fields; nothing where the schema is not about it.
  ///
  /// Null counts as absent. A value of another type is reported as such, and nothing else is said of it. The fields
  /// of a map that is absent are not missed.
  package func violations(in document: RawDocument) -> [SchemaViolation] {
    if !covers(document.path) { return [] }
    var violations: [SchemaViolation] = []
    checkID(of: document, &violations)
    checkFields(of: document.fields, &violations)
    for path in forbidden {
      if let value = document.fields[path] {
        violations.append(SchemaViolation(.forbidden, path, value, expected: "no field of that name"))
      }
    }
    if !expectsUnknownFields { checkUndeclared(document.fields, below: [], &violations) }
    return violations
  }

  private func checkFields(of document: FieldMap, _ violations: inout [SchemaViolation]) {
    var found: [(index: Int, violation: SchemaViolation)] = []
    var new: [SchemaViolation] = []
    // Both are in the order of their names' bytes, so they are gone through together.
    let entries = document.entries
    var at = 0
    for checker in checkers {
      while at < entries.count, entries[at].name.compareUTF8(checker.top) < 0 { at += 1 }
      var value: Value?
      if at < entries.count, entries[at].name.isIdentical(to: checker.top) {
        value = checker.isNested ? document.presentValue(checker.field.path) : entries[at].value
        if value?.isNull ?? false { value = nil }
      }
      if let idField, checker.field.path == idField { continue }
      checker.field.check(value, in: document, &new)
      for violation in new { found.append((checker.index, violation)) }
      new.removeAll(keepingCapacity: true)
    }
    if found.count > 1 { found.sort { $0.index < $1.index } }
    for (_, violation) in found { violations.append(violation) }
  }

  /// The fields that an application orders or filters by and does not find: the document is invisible to it.
  package func hidingFields(in document: RawDocument) -> [FieldPath] {
    if !covers(document.path) { return [] }
    let unordered = orderedBy.filter { document.fields[$0] == nil }
    let unfiltered = filteredBy.filter { document.fields.presentValue($0) == nil && !unordered.contains($0) }
    return unordered + unfiltered
  }

  private func checkID(of document: RawDocument, _ violations: inout [SchemaViolation]) {
    let id = document.path.id
    switch documentID {
    case .pattern(let pattern)? where !pattern.matches(id):
      violations.append(
        SchemaViolation(.documentID, nil, .string(id), expected: "one that matches \(pattern.text)")
      )
    case .email? where !Self.isNormalisedEmail(id):
      violations.append(
        SchemaViolation(.documentID, nil, .string(id), expected: "a lower-case email address")
      )
    default: break
    }
    guard let idField else { return }
    switch document.fields.presentValue(idField) {
    case nil: violations.append(SchemaViolation(.idMissing, idField, nil, expected: "the document's ID"))
    case .string(let text)? where text.isIdentical(to: id): break
    case let value?:
      violations.append(SchemaViolation(.idMismatch, idField, value, expected: "the document's ID"))
    }
  }

  private static func isNormalisedEmail(_ id: String) -> Bool {
    FieldFormat.email.matches(id) && id.lowercased().isIdentical(to: id)
  }

  private func checkUndeclared(
    _ fields: FieldMap,
    below segments: [String],
    _ violations: inout [SchemaViolation]
  ) {
    for entry in fields.entries {
      guard let path = FieldPath(segments: segments + [entry.name]) else { continue }
      guard field(path) != nil else {
        if !forbidden.contains(path) {
          violations.append(SchemaViolation(.undeclared, path, entry.value, expected: "a declared field"))
        }
        continue
      }
      if let map = entry.value.map, map.vector == nil,
        self.fields.contains(where: { $0.path != path && path.isPrefix(of: $0.path) })
      {
        checkUndeclared(map, below: path.segments, &violations)
      }
    }
  }
}

extension FieldMap {
  /// The value of a path; nil where it is absent or null.
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
