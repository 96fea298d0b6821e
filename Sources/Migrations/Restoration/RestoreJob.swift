package import Runs
package import TypedDocuments

/// Makes documents what they were: at a moment of the database itself, or in files or a mirror.
package struct RestoreJob: Job {
  package static let kind = "restore"

  /// What became of a document since.
  package enum Accident: String, Codable, Sendable, CaseIterable {
    case updated, deleted, created
  }

  /// The paths and patterns of collections, and paths of documents; empty for all root collections.
  package var names: [String] = []
  package var subcollections = true
  /// The moment; nil where ``sources`` say what is wanted.
  package var moment: Timestamp?
  /// The files and folders, in their order.
  package var sources: [String] = []
  /// The database of these, where it is not that of the run.
  @Text package var sourceDatabase: DatabaseName?
  /// Whether these may be less than a whole export.
  package var isPartial = false
  package var query = QuerySettings()
  /// What was changed after it is left alone.
  package var keepsChangedSince: Timestamp?
  /// The only documents that are restored, by what became of them; empty for all.
  package var only: [Accident] = []
  package var maximumDeletes: Int?
  package var reading = ReadingSettings()
  /// Where the plan is kept, too.
  package var output: String?
  package var plan = PlanSettings()

  package init(_ names: [String]) { self.names = names }

  package var name: String { "restore \(names.isEmpty ? "--all" : names.joined(separator: " "))" }
  package var writes: Bool { !plan.isDryRun }
  package var deletesForGood: Bool { maximumDeletes != nil }
}
