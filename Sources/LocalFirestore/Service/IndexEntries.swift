/// The entries of a document in the automatic single-field indexes
/// (https://firebase.google.com/docs/firestore/query-data/index-overview#automatic_indexing).
///
/// An array has one entry for each element, a map has those of its members, and any other value has two, ascending and
/// descending.
enum IndexEntries {
  /// The maximum number for one document (https://firebase.google.com/docs/firestore/quotas#indexes).
  static let maximum = 40_000

  static func check(_ fields: FieldMap, of path: DocumentPath) throws(FirestoreError) {
    let count = count(fields)
    if count > maximum {
      throw .invalid(
        "too many index entries for entity \(path.string): \(count); at most \(maximum) are allowed"
      )
    }
  }

  static func count(_ fields: FieldMap) -> Int {
    fields.entries.reduce(0) { $0 + count($1.value) }
  }

  private static func count(_ value: Value) -> Int {
    switch value {
    case .array(let values): values.count
    case .map(let fields): fields.vector == nil ? count(fields) : 2
    default: 2
    }
  }
}
