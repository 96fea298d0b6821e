package import Runs
import TypedDocuments

/// The steps of a fix, as typed.
package struct FixSteps: Codable, Sendable, Equatable {
  package var rename: [String] = []
  package var copy: [String] = []
  package var convert: [String] = []
  package var trim: [String] = []
  package var lower: [String] = []
  package var digits: [String] = []
  package var setIfMissing: [String] = []
  package var set: [String] = []
  package var unset: [String] = []
  /// The program that decides, with its arguments, as one text.
  package var run: String?
  /// How documents are written for the program; nil for REST JSON.
  package var runStyle: ProgramCall.Style?
  package var onFailure = MigrationStep.FailurePolicy.reject
  package var unit: ValueConversion.TimeUnit?
  package var overwrite = false
  /// Whether the server sets the update time.
  package var touch = true

  package init() {}
}

/// Changes fields of the documents that match a filter.
package struct FixJob: Job {
  package static let kind = "fix"

  package var collection: String
  package var query: QuerySettings
  package var steps: FixSteps
  package var allowsImmutable = false
  package var allowsSchemaBreaks = false
  /// The limits of programs.
  package var programs: ProgramSettings?
  package var maximumDeletes: Int?
  package var plan = PlanSettings()

  package init(_ collection: String, _ query: QuerySettings, _ steps: FixSteps) {
    self.collection = collection
    self.query = query
    self.steps = steps
  }

  package var name: String { "fix \(collection)" }
  package var writes: Bool { !plan.isDryRun }
}

/// Deletes documents, softly or for good.
package struct DeleteJob: Job {
  package static let kind = "delete"

  package var collection: String
  package var query: QuerySettings
  /// The documents to delete, without duplicates; empty if the query selects them.
  package var ids: [String] = []
  package var isHard = false
  package var maximumDeletes: Int?
  package var leavesSubcollections = false
  package var allowsImmutable = false
  package var plan = PlanSettings()

  package init(_ collection: String, _ query: QuerySettings) {
    self.collection = collection
    self.query = query
  }

  package var name: String { "delete \(collection)" }
  package var writes: Bool { !plan.isDryRun }
}
