package import FirestoreModels
import FirestoreREST

/// Compares a document of one database with that of another, which is to be what a copy would have made of it.
///
/// Values are compared exactly, as ``Models/Value`` has it: 1 and 1.0 differ. References are compared as a copy leaves
/// them: those into the first database are to point into the second, all others are to be the same. Times of creation
/// and change are the service's and are not compared.
package struct DocumentComparison: Sendable {
  private let rewriter: ReferenceRewriter?
  private let ignored: [FieldPath]

  /// Makes a comparison.
  ///
  /// - Parameters:
  ///   - from: The database that the first document is of; nil where it is not known, and references are compared by
  ///     their whole names.
  ///   - to: The second's.
  ///   - ignored: Fields that may differ, with all that is in them.
  package init(from: DatabaseName?, to: DatabaseName?, ignoring ignored: [FieldPath] = []) {
    rewriter = from.flatMap { from in to.map { ReferenceRewriter(from: from, to: $0) } }
    self.ignored = ignored
  }

  /// Whether the documents are the same but for what is ignored.
  package func areSame(_ a: FieldMap, _ b: FieldMap) -> Bool {
    copied(a) == compared(b)
  }

  /// The fields that differ, each with its values unchanged in the documents; none where they are the same.
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

  /// The fields of the first document as a copy would leave them.
  private func copied(_ fields: FieldMap) -> FieldMap {
    let fields = compared(fields)
    guard var rewriter else { return fields }
    return rewriter.rewrite(fields)
  }

  /// The fields without those that are ignored, in the form in which the service keeps them.
  private func compared(_ fields: FieldMap) -> FieldMap {
    var fields = fields.asStored
    for path in ignored where fields[path] != nil { fields[path] = nil }
    return fields
  }
}
