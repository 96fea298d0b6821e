package import Runs
import TypedDocuments

/// Which migrations are meant, and their settings.
package struct MigrationChoice: Codable, Sendable, Equatable {
  /// The ids of those that come along, and YAML files.
  package var migrations: [String] = []
  package var all = false
  /// What is set of those that come along, by names of options.
  package var additions: [String: String] = [:]
  package var allowsSchemaBreaks = false
  /// What a program may take; nil where nothing is said of it.
  package var programs: ProgramSettings?
  package var reading = ReadingSettings()
  package var timeZone: String?

  package init() {}

  package var names: String { all ? "--all" : migrations.joined(separator: " ") }
}

/// What of a plan is shown, and where.
package struct PlanSettings: Codable, Sendable, Equatable {
  /// Whether it is planned only.
  package var isDryRun = false
  /// How many changes are shown.
  package var examples = 3
  /// The page to look at in a browser.
  package var html: String?

  package init() {}
}

/// Applies migrations, or a file of planned changes.
package struct ApplyJob: Job {
  package static let kind = "apply"

  package var migrations: MigrationChoice
  /// A file of planned changes that is applied instead.
  package var plan: String?
  package var maximumDeletes: Int?
  package var isDryRun = false
  package var html: String?
  /// How many changes a plan shows; nil for the usual number.
  package var examples: Int?
  /// Why a gate was passed all the same, for the ledger.
  package var override: String?
  /// The migrations that are applied after it, each by a run of its own, for the ledger; nil for a run by itself.
  package var planned: [String]?

  package init(_ migrations: MigrationChoice) { self.migrations = migrations }

  package var name: String { plan == nil ? "migrate apply \(migrations.names)" : "migrate apply --plan" }
  package var writes: Bool { !isDryRun }
  package var deletesForGood: Bool { maximumDeletes != nil }
  package var isStep: Bool { planned != nil }
}

/// Shows what migrations would change.
package struct PlanJob: Job {
  package static let kind = "plan"
  package static let onlyReads = true

  package var migrations: MigrationChoice
  package var examples = 3
  /// Where the changes are kept, too.
  package var output: String?
  package var html: String?
  /// Whether something to do is an exit code of 1.
  package var failsOnChanges = false

  package init(_ migrations: MigrationChoice) { self.migrations = migrations }

  package var name: String { "migrate plan \(migrations.names)" }
  package var writes: Bool { false }
}

/// Restores what a run changed.
package struct UndoJob: Job {
  package static let kind = "undo"

  /// The run.
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
  package var deletesForGood: Bool { true }
  package var goesBySchema: Bool { false }
}
