/// Compares a document of one database with the copy of it in another.
///
/// Values are compared exactly, as by ``FirestoreModels/Value``: 1 and 1.0 differ. References are compared as if copied:
/// those into the first database have to point into the second, and all others have to be equal. Create and update times
/// are set by the service and are not compared.
package struct DocumentComparison: Sendable {
  private let rewriter: ReferenceRewriter?
  private let ignored: [FieldPath]

  /// Creates a comparison.
  ///
  /// - Parameters:
  ///   - from: The database of the first document; nil if unknown, so that references are compared by their full names.
  ///   - to: The database of the second document.
  ///   - ignored: The fields that may differ, including nested ones.
  package init(from: DatabaseName?, to: DatabaseName?, ignoring ignored: [FieldPath] = []) {
    rewriter = from.flatMap { from in to.map { ReferenceRewriter(from: from, to: $0) } }
    self.ignored = ignored
  }

  /// Whether the documents are equal apart from ignored fields.
  package func areSame(_ a: FieldMap, _ b: FieldMap) -> Bool {
    copied(a) == compared(b)
  }

  /// Returns the differing fields, with their values in both documents; empty if the documents are equal.
  package func differences(_ a: RawDocument, _ b: RawDocument) -> [FieldDifference] {
    let before = RawDocument(path: a.path, fields: copied(a.fields))
    let after = compared(b.fields)
    if before.fields == after { return [] }
    return Change(path: a.path, before: before, after: after).differences.map { difference in
      FieldDifference(
        path: difference.path,
        before: difference.before.flatMap { _ in a.fields[difference.path] },
        after: difference.after.flatMap { _ in b.fields[difference.path] }
      )
    }
  }

  /// Returns the fields of the first document as a copy would leave them.
  private func copied(_ fields: FieldMap) -> FieldMap {
    let fields = compared(fields)
    guard var rewriter else { return fields }
    return rewriter.rewrite(fields)
  }

  /// Returns the fields as the service stores them, without ignored ones.
  private func compared(_ fields: FieldMap) -> FieldMap {
    var fields = fields.asStored
    for path in ignored where fields[path] != nil { fields[path] = nil }
    return fields
  }
}
