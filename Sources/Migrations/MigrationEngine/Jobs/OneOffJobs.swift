package import Runs
import TypedDocuments

/// The steps of a fix, as they are typed.
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
  /// The program that decides, and its arguments, as one text.
  package var run: String?
  /// How documents are written for it; nil for REST JSON.
  package var runStyle: ProgramCall.Style?
  package var onFailure = MigrationStep.FailurePolicy.reject
  package var unit: ValueConversion.TimeUnit?
  package var overwrite = false
  /// Whether the server sets the update time.
  package var touch = true

  package init() {}
}

/// Changes fields of the documents for which a filter holds.
package struct FixJob: Job {
  package static let kind = "fix"

  package var collection: String
  package var query: QuerySettings
  package var steps: FixSteps
  package var allowsImmutable = false
  package var allowsSchemaBreaks = false
  /// What a program may take, and how many documents it may have deleted.
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

/// Takes documents out of use, or deletes them for good.
package struct DeleteJob: Job {
  package static let kind = "delete"

  package var collection: String
  package var query: QuerySettings
  /// The documents, each once; empty where the query says which.
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
  package var deletesForGood: Bool { isHard }
}
