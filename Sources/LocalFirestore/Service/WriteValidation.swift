import FirestoreModels

/// Validates writes before their documents are read.
enum WriteValidation {
  /// The maximum number of transforms for one document in a commit.
  private static let maximumTransforms = 500

  /// Throws for a write that can never be applied.
  static func check(_ write: Write) throws(FirestoreError) {
    if let violation = PathLimits.violations(of: write.path).first { throw .invalid(violation.message) }
    if case .update(_, let mask?) = write.operation {
      for path in mask { try check(path) }
    }
    for transform in write.transforms { try check(transform.field) }
    if write.transforms.count > maximumTransforms {
      throw .invalid("A document has at most \(maximumTransforms) field transforms in one request.")
    }
  }

  private static func check(_ path: FieldPath) throws(FirestoreError) {
    if let violation = DocumentLimits.violations(of: path).first { throw .invalid(violation.message) }
  }
}
