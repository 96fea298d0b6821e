import Logging
import Schema

extension Session {
  /// Warns of names in reads that the schema does not know.
  ///
  /// These are a collection that is spelled almost as one of the schema, and fields of a filter that no collection declares.
  /// Nothing else would say why nothing is found.
  func warnOfUnknownNames(in reads: [CollectionRead]) {
    for read in reads where read.reach == .collection && schema.collection(read.collection) == nil {
      warnOfNear(read.collection)
    }
    // All have the same.
    warnOfUnknown(reads.first?.filter?.fields ?? [], in: reads)
  }

  /// Warns of fields that none of the collections declares; not where one is not in the schema.
  func warnOfUnknown(_ fields: Set<FieldPath>, in reads: [CollectionRead]) {
    let declared = reads.compactMap { $0.reach == .collection ? schema.collection($0.collection) : nil }
    guard !declared.isEmpty, declared.count == reads.count, !declared.contains(where: \.fields.isEmpty) else {
      return
    }
    let known = Set(declared.flatMap(\.fields).compactMap(\.path.segments.first).map(UTF8Key.init))
    let place = reads.count == 1 ? "in \(reads[0].collection)" : "in any of these collections"
    for name in Set(fields.subtracting([.documentName]).compactMap(\.segments.first).map(UTF8Key.init))
      .subtracting(known).sorted()
    {
      let near = name.string.nearest(of: known.sorted().map(\.string))
      logger.warning(
        "The schema declares no field '\(name)' \(place).\(near.map { " Did you mean '\($0)'?" } ?? "")"
      )
    }
  }

  private func warnOfNear(_ path: CollectionPath) {
    let patterns = schema.collections.map(\.pattern.string)
    guard let near = path.pattern.string.nearest(of: patterns) else { return }
    logger.warning("The schema declares no collection '\(path)'. Did you mean '\(near)'?")
  }
}
