package import FirestoreREST
package import Runs
import TypedDocuments

/// Checks data against its schema.
package struct CheckJob: Job {
  package static let kind = "check"
  package static let onlyReads = true

  /// The collections to report findings about; empty for all.
  package var collections: [String] = []
  package var failIfEmpty = false
  /// The rules to check; empty for all.
  package var rules: [String] = []
  /// Whether to check only rules that each document satisfies by itself.
  package var isPerDocument = false
  package var output: String?
  package var examples = 3
  package var reading = ReadingSettings()
  @Text package var readTime = ReadTimeChoice.pinned

  package init() {}

  package var name: String { Self.kind }
  package var writes: Bool { false }
}
