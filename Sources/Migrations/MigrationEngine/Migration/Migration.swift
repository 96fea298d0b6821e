package import Runs

/// A change to the data, as a pure function over documents.
///
/// A migration defines what to read, what to do with each document, and what is doubtful. The engine does everything else:
/// reading, writing, the journal, the ledger, resuming and undoing. If each document is decided by itself, a migration is a
/// function from a document to its ``Outcome``:
///
///     struct TrimNames: Migration {
///       let products: CollectionSchema
///       let id = "trim-names"
///       let summary = "Removes white space around the names of products."
///       let reads = [CollectionPath(nil, "products")]
///
///       var strategy: MigrationStrategy { .perDocument(reads, outcome) }
///
///       func outcome(for document: RawDocument) -> Outcome {
///         guard let name = document.fields["name"]?.string, PlainText.trimmed(name) != name else {
///           return Outcome(.unchanged)
///         }
///         let edit: FieldEdit = ["name": .string(PlainText.trimmed(name))]
///         return Outcome(.change(document.changing(edit, of: products, reasons: ["name-trimmed"])))
///       }
///     }
///
/// Applying a migration a second time must change nothing: resuming an interrupted run relies on it.
package protocol Migration: Sendable {
  /// The name on the command line and in the ledger: `prices`.
  var id: String { get }
  /// One sentence for `migrate list`, ending with a period.
  var summary: String { get }
  /// The SHA-256 of the migration's file; nil for a built-in migration.
  var checksum: String? { get }
  /// The collections that the migration reads.
  var reads: [CollectionPath] { get }
  /// The collections that it may write; by default, those that it reads.
  var writes: [CollectionPath] { get }

  /// How it decides on documents, which determines how the engine executes it.
  var strategy: MigrationStrategy { get }

  /// Whether decisions on documents depend on other documents that the migration also writes.
  ///
  /// If so, a resumed run presents all documents as they were before the run, so that it makes the same decisions again.
  var needsOriginals: Bool { get }

  /// Whether it always deletes documents for good, so that a limit is required before it begins.
  var deletesForGood: Bool { get }

  /// Whether it may turn out to delete documents, so that their subcollections are looked up.
  var mayDelete: Bool { get }

  /// Messages about the given settings, in sentences.
  var notices: [String] { get }

  /// The number of requests that deciding on a deletion takes, besides reading the document.
  var requestsPerDeletion: Int { get }

  /// Whether it may write a collection: one of ``writes``, unless they cannot be listed in advance.
  func mayWrite(_ collection: CollectionPath) -> Bool

  /// Decides again on a document that changed during the run; nil if one document is not enough to decide, and it is listed as
  /// conflicted.
  func replan(_ current: RawDocument) -> Outcome?

  /// Returns the same migration, except that it does not delete documents that have subcollections.
  ///
  /// A migration that ``mayDelete`` implements it.
  func guarded(by subcollections: @escaping SubcollectionGuard.Lister) -> any Migration

  /// Returns the same migration, prepared for a run with a known folder.
  ///
  /// - Parameter mayDelete: Whether deletions are only planned, or are limited.
  func working(in folder: RunDirectory, mayDelete: Bool) -> any Migration
}

extension Migration {
  package var checksum: String? { nil }
  package var writes: [CollectionPath] { reads }
  package var needsOriginals: Bool { false }
  package var deletesForGood: Bool { false }
  package var mayDelete: Bool { deletesForGood }
  package var notices: [String] { [] }
  package var requestsPerDeletion: Int { 0 }

  package func mayWrite(_ collection: CollectionPath) -> Bool { writes.contains(collection) }

  package func replan(_ current: RawDocument) -> Outcome? {
    if case .perDocument(let rule) = strategy { rule.outcome(current) } else { nil }
  }

  package func guarded(by subcollections: @escaping SubcollectionGuard.Lister) -> any Migration { self }

  package func working(in folder: RunDirectory, mayDelete: Bool) -> any Migration { self }
}
