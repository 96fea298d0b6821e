package import Schema

/// Collects what documents contain that no masking rule covers, without duplicates.
package struct MaskCheck {
  /// The maximum number of distinct findings, because names that are data would be unlimited.
  private static let maximum = 1000

  private let mask: Mask
  private var found: [Found] = []

  private struct Found {
    var gap: MaskGap
    /// The number of documents that have it.
    var documents = 0
    /// The number of documents that refer to documents with such IDs.
    var referring = 0
  }

  package init(by schema: DatabaseSchema) {
    // The masked values are never shown, so any key will do.
    mask = Mask(by: schema, key: MaskKey(MaskKey.random()))
  }

  package var isEmpty: Bool { found.isEmpty }

  package mutating func take(_ document: RawDocument) throws(Failure) {
    for (gap, isThere) in try mask.gaps(in: document) {
      guard let index = place(of: gap), isThere else { continue }
      if case .id(let collection) = gap, collection != document.path.collection.pattern {
        found[index].referring += 1
      } else {
        found[index].documents += 1
      }
    }
  }

  /// Returns the index at which a gap is counted, with all its types; nil if there are too many.
  private mutating func place(of gap: MaskGap) -> Int? {
    guard let index = found.firstIndex(where: { $0.gap.subject == gap.subject }) else {
      if found.count == Self.maximum { return nil }
      found.append(Found(gap: gap))
      return found.count - 1
    }
    if case .field(var known) = found[index].gap, case .field(let field) = gap {
      known.types += field.types.filter { !known.types.contains($0) }
      found[index].gap = .field(known)
    }
    return index
  }

  /// Something that is not covered, and what to add to the schema.
  package struct Finding: Sendable {
    package let what: String
    package let documents: Int
    package let referring: Int
    package let remedy: String

    /// In how many documents it occurs, in words.
    package var count: String {
      let own = documents > 0 || referring == 0 ? [NumberText.counted(documents, "document")] : []
      let others =
        referring > 0
        ? ["\(NumberText.counted(referring, "document")) that \(referring == 1 ? "refers" : "refer") to them"]
        : []
      return (own + others).joined(separator: ", ")
    }
  }

  package var findings: [Finding] {
    found.map {
      Finding(
        what: MaskGaps.text($0.gap),
        documents: $0.documents,
        referring: $0.referring,
        remedy: MaskGaps.yaml($0.gap, by: mask.schema)
      )
    }
  }
}
