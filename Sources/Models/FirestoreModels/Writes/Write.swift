/// One write of a commit (`google.firestore.v1.Write`).
///
///     Write(
///       path: document.path,
///       operation: .update(fields: ["role": .string("admin")], mask: [FieldPath(field: "role")]),
///       transforms: [FieldTransform(FieldPath(field: "updatedAt"), .requestTime)],
///       precondition: .exists(true)
///     )
package struct Write: Sendable, Equatable {
  package enum Operation: Sendable, Equatable {
    /// Sets fields: all of them without a mask (replacing the document), otherwise those in the mask.
    ///
    /// A path in the mask without a value deletes the field. An empty mask changes nothing, but creates a
    /// missing document.
    case update(fields: FieldMap, mask: [FieldPath]?)
    /// Sets all fields to those of an already encoded document, whose path must be that of the write.
    case set(EncodedDocument)
    /// Deletes the document; its subcollections remain.
    case delete

    /// The operation with its fields decoded.
    package var decoded: Operation {
      if case .set(let document) = self { .update(fields: document.fields, mask: nil) } else { self }
    }
  }

  package var path: DocumentPath
  package var operation: Operation
  /// Applied after the update, in order; their fields must not be in the mask.
  package var transforms: [FieldTransform]
  /// The condition under which the write is applied; nil for none.
  package var precondition: Precondition?

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

  /// What the write does to its document; a write without a precondition counts as an update.
  package var kind: Change.Kind {
    if case .delete = operation { .delete } else { precondition == .exists(false) ? .create : .update }
  }

  /// The JSON of the write in a commit to a database.
  package func json(in database: DatabaseName) -> [UInt8] {
    // The bytes of an encoded document are shared, not copied.
    if case .set(let document) = operation, transforms.isEmpty, precondition == .exists(false) {
      return document.creation
    }
    return JSONWriter.bytes { $0.write(self, in: database) }
  }
}

/// A condition on a document under which a write is applied.
package enum Precondition: Sendable, Equatable {
  /// The document exists, or does not.
  case exists(Bool)
  /// The document exists and was last updated at this time.
  case updateTime(Timestamp)
}

/// A change that the service computes from the stored value.
package struct FieldTransform: Sendable, Equatable {
  package enum Operation: Sendable, Equatable {
    /// The commit time in milliseconds, the same for the entire commit (`REQUEST_TIME`).
    case requestTime
    /// Adds a number; not idempotent.
    case increment(Value)
    /// The larger of the stored and the given number.
    case maximum(Value)
    /// The smaller of the stored and the given number.
    case minimum(Value)
    /// Appends the elements that the array does not contain.
    case appendMissingElements([Value])
    /// Removes all occurrences of the elements.
    case removeAllFromArray([Value])
  }

  package var field: FieldPath
  package var operation: Operation

  package init(_ field: FieldPath, _ operation: Operation) {
    self.field = field
    self.operation = operation
  }
}
