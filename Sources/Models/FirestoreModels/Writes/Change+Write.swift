extension Change {
  /// The write that makes exactly this change, provided that the document is unchanged since it was read.
  ///
  /// The mask of an update names the deepest paths that differ, and a deleted field is in the mask without a value; a replacement
  /// has no mask. Fields of ``serverTimes`` become transforms and stay out of the mask. The precondition is the update time that
  /// was read, `exists: false` for a creation, or `exists: true` if the document was read without an update time.
  package var write: Write {
    let precondition = before.map { $0.updateTime.map(Precondition.updateTime) ?? .exists(true) }
    return Write(
      path: path,
      operation: operation,
      transforms: isDeletion ? [] : serverTimes.map { FieldTransform($0, .requestTime) },
      precondition: precondition ?? .exists(false)
    )
  }

  private var operation: Write.Operation {
    switch effect {
    case .deletion: return .delete
    case .encodedCreation(let document): return .set(document)
    case .creation(let fields), .replacement(let fields):
      return .update(fields: fields.removing(serverTimes), mask: nil)
    case .update:
      var fields = FieldMap()
      var mask: [FieldPath] = []
      for difference in valueDifferences {
        mask.append(difference.path)
        if let value = difference.after { fields[difference.path] = value }
      }
      return .update(fields: fields, mask: mask)
    }
  }
}
