/// One write of a commit (`google.firestore.v1.Write`).
package struct Write: Sendable, Equatable {
  /// What is written.
  package enum Operation: Sendable, Equatable {
    /// Sets fields: all of them where the mask is nil (the document is replaced), else those that the mask names.
    /// A path in the mask without a value in `fields` is deleted. An empty mask is a mask: it changes nothing, and
    /// creates an empty document where there is none.
    case update(fields: FieldMap, mask: [FieldPath]?)
    /// Deletes the document; its subcollections stay.
    case delete
  }

  /// The document.
  package var path: DocumentPath
  /// What is written.
  package var operation: Operation
  /// Applied after the update, in order; their paths stay out of the mask.
  package var transforms: [FieldTransform]
  /// What must hold for the write to be applied; nil asks nothing.
  package var precondition: Precondition?

  /// Makes a write.
  package init(
    path: DocumentPath,
    operation: Operation,
    transforms: [FieldTransform] = [],
    precondition: Precondition? = nil
  ) {
    self.path = path
    self.operation = operation
    self.transforms = transforms
    self.precondition = precondition
  }
}

/// What must hold of a document for a write to be applied.
package enum Precondition: Sendable, Equatable {
  /// The document is there, or is not.
  case exists(Bool)
  /// The document is there and was last changed at this moment.
  case updateTime(Timestamp)
}

/// A change that the service computes from the stored value.
package struct FieldTransform: Sendable, Equatable {
  /// What is computed.
  package enum Operation: Sendable, Equatable {
    /// The moment of the commit, in milliseconds, the same for the whole commit (`REQUEST_TIME`).
    case requestTime
    /// Adds a number; not idempotent.
    case increment(Value)
    /// Keeps the larger number.
    case maximum(Value)
    /// Keeps the smaller number.
    case minimum(Value)
    /// Appends the elements that are not there yet.
    case appendMissingElements([Value])
    /// Removes every occurrence of the elements.
    case removeAllFromArray([Value])
  }

  /// The field.
  package var field: FieldPath
  /// What is computed.
  package var operation: Operation

  /// Makes a transform.
  package init(_ field: FieldPath, _ operation: Operation) {
    self.field = field
    self.operation = operation
  }
}
