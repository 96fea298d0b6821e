import Logging
import Schema

extension Session {
  /// Warns of names in reads that the schema does not know.
  ///
  /// These are a collection that is spelled almost as one of the schema, and
  /// fields that its collection does not declare. Nothing else would say why nothing is found.
  func warnOfUnknownNames(in reads: [CollectionRead]) {
    for read in reads where read.reach == .collection && !schema.isEmpty {
      guard let declared = schema.collection(read.collection) else {
        warnOfNear(read.collection)
        continue
      }
      let named = (read.filter?.fields ?? []).union(read.orderBy.map(\.field)).union(read.mask ?? [])
      for field in named.sorted(by: { $0.description.compareUTF8($1.description) < 0 }) {
        warn(of: field, in: declared, read.collection)
      }
    }
  }

  private func warnOfNear(_ path: CollectionPath) {
    let patterns = schema.collections.map(\.pattern.string)
    guard let near = path.pattern.string.nearest(of: patterns) else { return }
    logger.warning("The schema declares no collection '\(path)'. Did you mean '\(near)'?")
  }

  private func warn(of field: FieldPath, in declared: CollectionSchema, _ path: CollectionPath) {
    if field == .documentName { return }
    let names = Set(declared.fields.compactMap(\.path.segments.first).map(UTF8Key.init))
    guard let name = field.segments.first, !names.isEmpty, !names.contains(UTF8Key(name)) else { return }
    let near = name.nearest(of: names.map(\.string).sorted { $0.compareUTF8($1) < 0 })
    logger.warning(
      "The schema declares no field '\(name)' in \(path).\(near.map { " Did you mean '\($0)'?" } ?? "")"
    )
  }
}
