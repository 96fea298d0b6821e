extension Change {
  /// The write that makes exactly this change, provided that the document is still as it was read.
  ///
  /// The mask of an update names the leaf-most paths that differ; a deleted field is in the mask without a
  /// value. Fields of ``serverTimes`` become transforms and stay out of the mask. The precondition is the
  /// update time that was read, or `exists: false` for a creation, or `exists: true` if the document was read
  /// without an update time.
  package var write: Write {
    let precondition = before.map { $0.updateTime.map(Precondition.updateTime) ?? .exists(true) }
    guard let after else {
      return Write(
        path: path,
        operation: .delete,
        precondition: precondition ?? .exists(false),
        reasons: reasons
      )
    }
    let transforms = serverTimes.map { FieldTransform($0, .requestTime) }
    guard let precondition else {
      return Write(
        path: path,
        operation: .update(fields: after.removing(serverTimes), mask: nil),
        transforms: transforms,
        precondition: .exists(false),
        reasons: reasons
      )
    }
    var fields = FieldMap()
    var mask: [FieldPath] = []
    for difference in valueDifferences {
      mask.append(difference.path)
      if let value = difference.after { fields[difference.path] = value }
    }
    return Write(
      path: path,
      operation: .update(fields: fields, mask: mask),
      transforms: transforms,
      precondition: precondition,
      reasons: reasons
    )
  }
}
