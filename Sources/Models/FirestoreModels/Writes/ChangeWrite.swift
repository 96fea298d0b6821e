extension Change {
  /// The write that makes the change, and nothing else, if the document is still as it was read.
  ///
  /// An update's mask names exactly the leaf-most paths that differ; a path whose value is removed is in the mask
  /// without a value. The paths of ``serverTimes`` are transforms and stay out of the mask. It is applied only to
  /// the document at the update time that was read, a creation only where there is no document. A document
  /// that was read without an update time has to be there, no more.
  package var write: Write {
    let found = before.map { read in
      read.updateTime.map(Precondition.updateTime) ?? .exists(true)
    }
    guard let after else {
      return Write(path: path, operation: .delete, precondition: found ?? .exists(false))
    }
    let transforms = serverTimes.map { FieldTransform($0, .requestTime) }
    guard let found else {
      return Write(
        path: path,
        operation: .update(fields: withoutServerTimes(after), mask: nil),
        transforms: transforms,
        precondition: .exists(false)
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
      precondition: found
    )
  }

  private func withoutServerTimes(_ fields: FieldMap) -> FieldMap {
    var out = fields
    for path in serverTimes { out[path] = nil }
    return out
  }
}
