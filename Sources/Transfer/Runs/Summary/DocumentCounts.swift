package import FirestoreREST
import TypedDocuments

/// The document counts of one collection, or of all collections of a run.
///
/// For a run that writes, they balance: read + created = written + unchanged + skipped + superseded + rejected +
/// conflicted.
package struct DocumentCounts: Sendable, Equatable {
  /// Documents read from the source.
  package var read = 0
  /// Documents that the run creates without having read them.
  package var created = 0
  /// Writes that the service confirmed: creations, updates and deletions.
  package var written = 0
  /// Documents that were already as intended.
  package var unchanged = 0
  /// Documents left unchanged on purpose.
  package var skipped = 0
  /// Documents that are superseded by another one with the same path in the same input.
  package var superseded = 0
  /// Documents that cannot be written or migrated; listed in `rejects.jsonl`.
  package var rejected = 0
  /// Documents that other writers kept changing, or that differ from the plan.
  package var conflicted = 0
  /// Documents that need review; listed in `review.csv`.
  ///
  /// They are included in the other counts, too.
  package var review = 0
  /// The deletions among `written`.
  package var deleted = 0
  /// The creations among `written`, whether the document was read from a source or ``created``.
  package var new = 0

  package init() {}

  /// Whether the balance holds, so that every document is accounted for.
  package var balance: Bool {
    read.addingClamped(created)
      == [unchanged, skipped, superseded, rejected, conflicted].reduce(written) { $0.addingClamped($1) }
  }

  /// Whether a person has to deal with some documents.
  package var leavesSomething: Bool { rejected > 0 || conflicted > 0 || review > 0 }

  /// The documents that a person has to deal with, by kind.
  package var left: [(name: String, count: Int)] {
    [("for review", review), ("rejected", rejected), ("conflicted", conflicted)].filter { $0.1 > 0 }
  }

  /// Whether an undo with these counts restored anything, or had nothing to restore; an undo with only conflicts did not
  /// undo.
  package var hasUndone: Bool { written > 0 || refused == 0 }

  /// Documents that should have been written but were not.
  package var refused: Int { rejected.addingClamped(conflicted) }

  /// Counts the result of a change whose document is counted separately as read or created.
  package mutating func settle(_ kind: Change.Kind, _ result: WriteResult) {
    switch result {
    case .written:
      written += 1
      if kind == .delete { deleted += 1 }
      if kind == .create { new += 1 }
    case .unchanged: unchanged += 1
    case .skipped: skipped += 1
    case .rejected: rejected += 1
    case .conflicted: conflicted += 1
    }
  }

  /// Counts a document that the run changes or creates, with the result.
  package mutating func add(_ kind: Change.Kind, _ result: WriteResult) {
    addSource(of: kind)
    settle(kind, result)
  }

  /// Counts a document as created by the run, or as read.
  package mutating func addSource(of kind: Change.Kind) {
    if kind == .create { created += 1 } else { read += 1 }
  }

  /// Returns the sum of two counts.
  ///
  /// A summary file may hold any number, so sums are clamped to the largest integer.
  package static func + (a: DocumentCounts, b: DocumentCounts) -> DocumentCounts {
    var sum = a
    for (_, count) in fields { sum[keyPath: count] = a[keyPath: count].addingClamped(b[keyPath: count]) }
    return sum
  }

  /// The counts with their names, in the order of the summary.
  package var members: [(name: String, count: Int)] { Self.fields.map { ($0.name, self[keyPath: $0.count]) } }

  private static let fields: [(name: String, count: any WritableKeyPath<DocumentCounts, Int> & Sendable)] = [
    ("read", \.read), ("created", \.created), ("written", \.written), ("unchanged", \.unchanged),
    ("skipped", \.skipped), ("superseded", \.superseded), ("rejected", \.rejected),
    ("conflicted", \.conflicted), ("review", \.review), ("deleted", \.deleted), ("new", \.new),
  ]
}

extension DocumentCounts: Codable {
  /// Decodes the counts; missing ones are 0.
  package init(from decoder: any Decoder) throws {
    let json = try decoder.container(keyedBy: FieldKey.self)
    for (name, count) in Self.fields {
      self[keyPath: count] = try json.decodeIfPresent(Int.self, forKey: FieldKey(name)) ?? 0
    }
  }

  package func encode(to encoder: any Encoder) throws {
    var json = encoder.container(keyedBy: FieldKey.self)
    for (name, count) in members { try json.encode(count, forKey: FieldKey(name)) }
  }
}
