package import FirestoreREST

/// The documents that one of several runs works on: a range of names in one read.
///
/// Only migrations that decide each document by itself can be divided.
package struct MigrationPart: Sendable {
  /// The read, without the range.
  private let read: CollectionRead
  package let names: NameRange

  package init(_ read: CollectionRead) {
    names = read.range
    self.read = read
  }

  /// Whether a migration's read is the divided one, ignoring filter and page size.
  func isSame(as other: CollectionRead) -> Bool {
    read.collection == other.collection && read.reach == other.reach && read.kind == other.kind
  }

  func contains(_ path: DocumentPath) -> Bool {
    names.contains(path) && (read.reach != .collection || path.isIn(read.collection))
  }
}

extension ChangeSource {
  /// Returns the reads of a migration that decides each document by itself.
  ///
  /// - Throws: `.usage` with the reason for any other migration.
  package func divisibleReads() throws(Failure) -> [CollectionRead] {
    func refusal(_ cause: String) -> Failure {
      Failure(.usage, "divide", path: id, cause: cause, remedy: "Run it by itself.")
    }
    guard case .migration(let migration) = self else {
      throw refusal("a plan file is a list, and not a rule over documents")
    }
    if migration.deletesForGood {
      throw refusal("it deletes documents, and --max-delete is a bound of one process")
    }
    switch migration.strategy {
    case .perDocument(let rule): return rule.sources
    case .streaming: throw refusal("it decides on a document by others, which it reads from the beginning")
    case .transactional: throw refusal("it decides on a document by others, in a transaction")
    }
  }
}
