package import MigrationEngine
import Runs
import TypedDocuments

/// Writes a mirror's edits to its database.
package struct PushJob: Job {
  package static let kind = "push"

  /// The mirror's file.
  package var file: String
  package var maximumDeletes: Int?
  package var plan = PlanSettings()

  package init(_ file: String) { self.file = file }

  package var name: String { "mirror push" }
  package var writes: Bool { !plan.isDryRun }
}
