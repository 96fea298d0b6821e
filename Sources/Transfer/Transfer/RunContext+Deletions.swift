extension RunCounts {
  /// The number of documents that a run has deleted, with those that were deleted after its last checkpoint.
  package func deletions(of journal: Journal?) -> Int {
    totals.deleted + (journal?.unmetDeletions.count ?? 0)
  }
}

extension RunContext {
  /// The number of documents that a run may still delete, less those that it deleted before it was interrupted.
  package func deletions(leftOf maximum: Int) -> Int {
    max(0, maximum - counts.deletions(of: journal))
  }

  /// Rejects the deletion of a document that has subcollections.
  func reject(deletionOf path: DocumentPath, leaving ids: [String]) throws(Failure) {
    let what = "the document has subcollections, which would be left without it"
    let message = "\(what): \(ids.joined(separator: ", "))"
    try reject(path, code: "has-subcollections", message: message, document: nil)
  }
}
