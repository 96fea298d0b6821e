package import MigrationEngine
import Runs
import TypedDocuments

/// Writes what was edited in a mirror to its database.
package struct PushJob: Job {
  package static let kind = "push"

  /// The mirror.
  package var file: String
  package var maximumDeletes: Int?
  package var plan = PlanSettings()

  package init(_ file: String) { self.file = file }

  package var name: String { "mirror push" }
  package var writes: Bool { !plan.isDryRun }
}
