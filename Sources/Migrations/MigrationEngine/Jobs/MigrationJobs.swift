package import Runs
import TypedDocuments

/// The chosen migrations and their settings.
package struct MigrationChoice: Codable, Sendable, Equatable {
  /// The IDs of built-in migrations, and YAML files.
  package var migrations: [String] = []
  package var all = false
  /// The settings of built-in migrations, by option name.
  package var additions: [String: String] = [:]
  package var allowsSchemaBreaks = false
  /// The limits of programs; nil if not set.
  package var programs: ProgramSettings?
  package var reading = ReadingSettings()
  package var timeZone: String?

  package init() {}

  package var names: String { all ? "--all" : migrations.joined(separator: " ") }
}

/// How a plan is shown.
package struct PlanSettings: Codable, Sendable, Equatable {
  /// Whether to plan only.
  package var isDryRun = false
  /// The number of changes to show.
  package var examples = 3
  /// The HTML page to write.
  package var html: String?

  package init() {}
}

/// Applies migrations, or a file of planned changes.
package struct ApplyJob: Job {
  package static let kind = "apply"

  package var migrations: MigrationChoice
  /// The file of planned changes to apply instead of migrations.
  package var plan: String?
  package var maximumDeletes: Int?
  package var isDryRun = false
  package var html: String?
  /// The number of changes to show of a plan; nil for the default.
  package var examples: Int?
  /// Why a gate was overridden, for the ledger.
  package var override: String?
  /// The migrations that are applied after this one, each by its own run, for the ledger; nil for a single run.
  package var planned: [String]?

  package init(_ migrations: MigrationChoice) { self.migrations = migrations }

  package var name: String { plan == nil ? "migrate apply \(migrations.names)" : "migrate apply --plan" }
  package var writes: Bool { !isDryRun }
  package var isStep: Bool { planned != nil }
}

/// Shows what migrations would change.
package struct PlanJob: Job {
  package static let kind = "plan"
  package static let onlyReads = true

  package var migrations: MigrationChoice
  package var examples = 3
  /// The file to which the changes are also written.
  package var output: String?
  package var html: String?
  /// Whether to exit with 1 if there is something to change.
  package var failsOnChanges = false

  package init(_ migrations: MigrationChoice) { self.migrations = migrations }

  package var name: String { "migrate plan \(migrations.names)" }
  package var writes: Bool { false }
}

/// Restores what a run changed.
package struct UndoJob: Job {
  package static let kind = "undo"

  /// The run to undo.
  package var run: String
  package var isDryRun: Bool
  /// As ``ApplyJob/examples``.
  package var examples: Int?

  package init(of run: String, isDryRun: Bool) {
    self.run = run
    self.isDryRun = isDryRun
  }

  package var name: String { "migrate undo \(run)" }
  package var writes: Bool { !isDryRun }
  package var canUndo: Bool { false }
  package var goesBySchema: Bool { false }
}

/// Deletes everything in a test environment.
package struct ResetJob: Job {
  package static let kind = "reset"

  package var maximumDeletes: Int
  package var isDryRun: Bool

  package init(maximumDeletes: Int, isDryRun: Bool) {
    self.maximumDeletes = maximumDeletes
    self.isDryRun = isDryRun
  }

  package var name: String { "env reset" }
  package var writes: Bool { !isDryRun }
  package var goesBySchema: Bool { false }
}
