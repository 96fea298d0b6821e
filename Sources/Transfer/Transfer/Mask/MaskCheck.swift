package import Schema

/// What documents have that no rule of masking covers, each thing once.
package struct MaskCheck {
  /// The most things that are told apart; names that are data would have no end.
  private static let maximum = 1000

  private let mask: Mask
  private var found: [(gap: MaskGap, documents: Int)] = []

  package init(by schema: DatabaseSchema) throws(Failure) {
    // Nothing that it masks is shown, so that any key will do.
    mask = Mask(by: schema, key: try MaskKey(MaskKey.random()))
  }

  package var isEmpty: Bool { found.isEmpty }

  package mutating func take(_ document: RawDocument) {
    for gap in mask.gaps(in: document) {
      if let index = found.firstIndex(where: { $0.gap.isAbout(gap) }) {
        found[index].documents += 1
        // A field of several types.
        if found[index].gap != gap, case .field(let collection, let path, _) = gap {
          found[index].gap = .field(collection, path, "any")
        }
      } else if found.count < Self.maximum {
        found.append((gap, 1))
      }
    }
  }

  /// What is not covered, in how many documents, and what to add to the schema.
  package var rows: [[String]] {
    found.map {
      [MaskGaps.text($0.gap), NumberText.counted($0.documents, "document"), MaskGaps.yaml($0.gap)]
    }
  }
}
