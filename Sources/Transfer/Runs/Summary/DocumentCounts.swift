package import FirestoreModels
package import FirestoreREST

/// The document counts of one collection, or of all collections of a run.
///
/// Balance of a run that writes: read + created = written + unchanged + skipped + rejected + conflicted.
package struct DocumentCounts: Sendable, Equatable {
  /// Documents read from the source.
  package var read = 0
  /// Documents that the run creates without having read them.
  package var created = 0
  /// Writes that the service confirmed: creations, updates and deletes.
  package var written = 0
  /// Documents that already were as intended.
  package var unchanged = 0
  /// Documents left unchanged on purpose.
  package var skipped = 0
  /// Documents that cannot be written or migrated; listed in `rejects.jsonl`.
  package var rejected = 0
  /// Documents that other writers kept changing, or that differ from the plan.
  package var conflicted = 0
  /// Documents that need review; listed in `review.csv`.
  ///
  /// They are included in the other counts too.
  package var review = 0
  /// The part of `written` that are deletions.
  package var deleted = 0

  package init() {}

  /// Whether the balance holds, so that every document is accounted for.
  package var balance: Bool {
    read.addingClamped(created)
      == [unchanged, skipped, rejected, conflicted].reduce(written) { $0.addingClamped($1) }
  }

  /// Whether something is left for a person to do.
  package var leavesSomething: Bool { rejected > 0 || conflicted > 0 || review > 0 }

  /// Counts a settled write.
  package mutating func settle(_ write: Write, _ result: WriteResult) {
    switch result {
    case .written:
      written += 1
      if case .delete = write.operation { deleted += 1 }
    case .unchanged: unchanged += 1
    case .skipped: skipped += 1
    case .rejected: rejected += 1
    case .conflicted: conflicted += 1
    }
  }

  /// Returns the sum of two counts.
  ///
  /// A summary file may hold any number, so sums are clamped to the largest integer.
  package static func + (a: DocumentCounts, b: DocumentCounts) -> DocumentCounts {
    var sum = a
    sum.read = a.read.addingClamped(b.read)
    sum.created = a.created.addingClamped(b.created)
    sum.written = a.written.addingClamped(b.written)
    sum.unchanged = a.unchanged.addingClamped(b.unchanged)
    sum.skipped = a.skipped.addingClamped(b.skipped)
    sum.rejected = a.rejected.addingClamped(b.rejected)
    sum.conflicted = a.conflicted.addingClamped(b.conflicted)
    sum.review = a.review.addingClamped(b.review)
    sum.deleted = a.deleted.addingClamped(b.deleted)
    return sum
  }

  /// The counts with their names, in the order of the summary.
  package var members: [(name: StaticString, count: Int)] {
    [
      ("read", read), ("created", created), ("written", written), ("unchanged", unchanged),
      ("skipped", skipped),
      ("rejected", rejected), ("conflicted", conflicted), ("review", review), ("deleted", deleted),
    ]
  }

  /// Reads the counts as ``writeMembers(to:)`` writes them; a missing count is 0.
  init(_ json: JSONCursor) throws(WireError) {
    func number(_ name: StaticString) throws(WireError) -> Int {
      guard let json = json[name] else { return 0 }
      guard let number = WireDecoder.count(json) else { throw WireError("\(name) is not a count") }
      return number
    }
    read = try number("read")
    created = try number("created")
    written = try number("written")
    unchanged = try number("unchanged")
    skipped = try number("skipped")
    rejected = try number("rejected")
    conflicted = try number("conflicted")
    review = try number("review")
    deleted = try number("deleted")
  }

  func writeMembers(to json: inout JSONWriter) {
    for (name, count) in members {
      json.key(name)
      json.integer(count)
    }
  }
}
