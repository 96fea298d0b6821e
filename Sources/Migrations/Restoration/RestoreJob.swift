package import Runs
package import TypedDocuments

/// Restores documents to an earlier state: that of the database at a point in time, or that in files or a mirror.
package struct RestoreJob: Job {
  package static let kind = "restore"

  /// What happened to a document since.
  package enum Accident: String, Codable, Sendable, CaseIterable {
    case updated, deleted, created
  }

  /// The paths and patterns of collections, and paths of documents; empty for all root collections.
  package var names: [String] = []
  package var subcollections = true
  /// The point in time to restore; nil if ``sources`` are restored.
  package var moment: Timestamp?
  /// The files and folders to restore from, in order.
  package var sources: [String] = []
  /// The database of ``sources``, if it is not that of the run.
  @Text package var sourceDatabase: DatabaseName?
  /// Whether ``sources`` may be less than a complete export.
  package var isPartial = false
  package var query = QuerySettings()
  /// The time after which changed documents are left alone; nil for none.
  package var keepsChangedSince: Timestamp?
  /// What must have happened to documents for them to be restored; empty for anything.
  package var only: [Accident] = []
  package var maximumDeletes: Int?
  package var reading = ReadingSettings()
  /// The file to which the plan is also written.
  package var output: String?
  package var plan = PlanSettings()

  package init(_ names: [String]) { self.names = names }

  package var name: String { "restore \(names.isEmpty ? "--all" : names.joined(separator: " "))" }
  package var writes: Bool { !plan.isDryRun }
}
