/// Validates writes before their documents are read.
enum WriteValidation {
  /// The maximum number of transforms for one document in a commit.
  private static let maximumTransforms = 500

  /// Throws for a write that can never be applied.
  static func check(_ write: Write) throws(FirestoreError) {
    if let violation = PathLimits.violations(of: write.path).first { throw .invalid(violation.message) }
    if case .update(let fields, let mask) = write.operation.decoded {
      try check(write.path, fields, mask)
    }
    if write.transforms.count > maximumTransforms {
      throw .invalid("A document has at most \(maximumTransforms) field transforms in one request.")
    }
    try check(write.transforms)
  }

  /// What no value may have, wherever it occurs; sizes and lengths of names are only limited in stored documents.
  static let malformed: Set<DocumentLimits.Violation.Code> = [
    .reservedFieldName, .coordinate, .malformedVector, .malformedReference,
  ]

  /// Throws for an invalid value in a filter, a cursor or a transform.
  static func check(
    _ value: Value,
    refused: Set<DocumentLimits.Violation.Code> = malformed
  ) throws(FirestoreError) {
    let violations = DocumentLimits.violations(of: ["value": value])
    if let violation = violations.first(where: { refused.contains($0.code) }) {
      throw .invalid(violation.message)
    }
  }

  private static func check(
    _ path: DocumentPath,
    _ fields: FieldMap,
    _ mask: [FieldPath]?
  ) throws(FirestoreError) {
    guard let mask else { return try check(path, fields) }
    var named = FieldMap()
    for field in mask {
      try check(field)
      named[field] = fields[field]
    }
    try check(path, named)
    let refused = malformed.union([.nestedArray, .longVector])
    if let violation = DocumentLimits.violations(of: fields).first(where: { refused.contains($0.code) }) {
      throw .invalid("Document \(path.string): \(violation.message)")
    }
  }

  /// Throws for fields that no document can have.
  static func check(_ path: DocumentPath, _ fields: FieldMap) throws(FirestoreError) {
    if let violation = DocumentLimits.violations(of: RawDocument(path: path, fields: fields)).first {
      throw .invalid("Document \(path.string): \(violation.message)")
    }
  }

  /// Throws for a path that names no field of a document.
  static func check(_ path: FieldPath) throws(FirestoreError) {
    if let violation = DocumentLimits.violations(of: path).first { throw .invalid(violation.message) }
  }

  private static func check(_ transforms: [FieldTransform]) throws(FirestoreError) {
    for transform in transforms {
      try check(transform.field)
      switch transform.operation {
      case .increment(let operand), .maximum(let operand), .minimum(let operand):
        guard operand.isNumber else { throw .invalid("The operand of a transform must be int64 or double.") }
      case .appendMissingElements(let elements), .removeAllFromArray(let elements):
        for element in elements { try check(element) }
      case .requestTime: break
      }
    }
    for outer in transforms {
      if transforms.contains(where: { $0.field != outer.field && outer.field.isPrefix(of: $0.field) }) {
        throw .invalid("Cannot transform \(outer.field) and a field in it at the same time.")
      }
    }
  }
}
