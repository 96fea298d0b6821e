package import Runs

/// A change to the data, as a pure function over documents.
///
/// It says what to read, what becomes of each document, and what is doubtful. The engine owns everything else: reading,
/// writing, the journal, the ledger, resuming and undoing. A migration in which each document is decided by itself is a function
/// from a document to its ``Outcome``:
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
/// Applying a migration twice must change nothing the second time: an interrupted run relies on it.
package protocol Migration: Sendable {
  /// The name on the command line and in the ledger: `prices`.
  var id: String { get }
  /// One sentence for `migrate list`, ending in a period.
  var summary: String { get }
  /// The SHA-256 of the file that it is read from; nil for one of the program's.
  var checksum: String? { get }
  /// The collections that it reads.
  var reads: [CollectionPath] { get }
  /// The collections that it may write; those that it reads unless it says otherwise.
  var writes: [CollectionPath] { get }

  /// How it decides, and with that how the engine carries it out.
  var strategy: MigrationStrategy { get }

  /// Whether it decides on documents by others that it writes, too.
  ///
  /// In a run that is resumed it is then given all of them as they were before the run, so that it decides the same again.
  var needsOriginals: Bool { get }

  /// Whether it deletes documents for good, so that a bound is required before it begins.
  var deletesForGood: Bool { get }

  /// Whether it may turn out to delete documents, so that what is below them is looked up.
  var mayDelete: Bool { get }

  /// What there is to say about what it was given, in sentences.
  var notices: [String] { get }

  /// Requests that deciding on a deletion costs, beside the read of the document.
  var requestsPerDeletion: Int { get }

  /// Whether it may write a collection: one of ``writes``, unless these cannot be named beforehand.
  func mayWrite(_ collection: CollectionPath) -> Bool

  /// What becomes of a document that changed during the run; nil where one document alone does not decide that, and the
  /// document is listed as conflicted.
  func replan(_ current: RawDocument) -> Outcome?

  /// The same migration, which leaves a document alone that it would delete and that has subcollections.
  func guarded(by subcollections: @escaping SubcollectionGuard.Lister) -> any Migration

  /// The same migration, for a run whose folder is known.
  ///
  /// - Parameter mayDelete: Whether deletions are only planned, or have a bound.
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
