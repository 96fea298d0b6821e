/// A document: its path and its fields.
package struct ReferenceDocument: Sendable, Equatable {
  /// The segments of the document's path below the database, as `users`, `u1`.
  package var path: [[UInt8]]
  /// The fields.
  ///
  /// They may stand in any order; no name stands twice.
  package var fields: [ReferenceEntry]

  /// A document of these segments and fields.
  package init(path: [[UInt8]], fields: [ReferenceEntry]) {
    self.path = path
    self.fields = fields
  }

  /// The value that a field path leads to, or nil if the document lacks the field.
  ///
  /// A path leads through maps only, never into an array. It does not lead into a vector either, although the
  /// service stores one as a map: nothing is documented for such a path, and no test should depend on it.
  package func value(at fieldPath: [[UInt8]]) -> ReferenceDatum? {
    var entries = fields
    for (depth, name) in fieldPath.enumerated() {
      guard let found = entries.first(where: { $0.key == name })?.value else {
        return nil
      }
      if depth == fieldPath.count - 1 {
        return found
      }
      guard case .map(let inner) = found else {
        return nil
      }
      entries = inner
    }
    return nil
  }
}
