package import FirestoreREST

/// Deletes everything in root collections, including everything below their documents and below missing documents.
///
/// Immutable documents are deleted, too, because nothing remains that they could be a record of.
package struct DatabaseReset: Migration {
  package let id = "env-reset"
  package let summary = "Deletes every document of the database."
  package let reads: [CollectionPath]
  package let deletesForGood = true

  package init(of roots: [CollectionPath]) {
    reads = roots
  }

  package var strategy: MigrationStrategy {
    .perDocument(PerDocument(sources: Self.sources(of: reads), outcome: outcome))
  }

  /// Returns the reads of everything in root collections.
  package static func sources(of roots: [CollectionPath]) -> [CollectionRead] {
    roots.map { root in
      var read = CollectionRead(root)
      read.reach = .subcollections
      return read
    }
  }

  package func mayWrite(_ collection: CollectionPath) -> Bool { reads.contains(collection.root) }

  package func outcome(for document: RawDocument) -> Outcome {
    Outcome(.change(Change(path: document.path, before: document, after: nil, reasons: ["reset"])))
  }

  package func replan(_ current: RawDocument) -> Outcome? { outcome(for: current) }
}
