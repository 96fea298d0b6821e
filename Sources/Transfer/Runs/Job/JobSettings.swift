package import Configuration
package import FirestoreREST
package import Schema
package import TypedDocuments

// The options that several jobs share.

/// The configuration file and the schema, as given by options; nil to look for them.
package struct ConfigurationChoice: Codable, Sendable, Equatable {
  package var config: String?
  package var schema: String?

  package init() {}
}

/// The database and the credentials, as given by options.
package struct ConnectionSettings: Codable, Sendable, Equatable {
  package var environment: String?
  package var mirror: String?
  /// The exported files that are used instead of an environment: a whole export and its increments, in order; nil for
  /// none.
  package var snapshot: [String]?
  package var project: String?
  package var database: String?
  package var endpoint: String?
  package var credentials: String?
  package var accessTokenFile: String?
  @Text package var impersonateServiceAccount: ServiceAccountChain?
  package var files = ConfigurationChoice()
  /// The directory of runs and of the embedded store.
  package var stateDir = Self.defaultStateDir
  /// For how long a request may be retried, in seconds.
  package var retryFor = Self.usualRetry
  /// The maximum that the run may be billed; nil for no bound.
  package var bound: BillBound?
  /// Whether it is a temporary copy that is not billed, so that its requests are not counted; nil means no.
  package var isScratch: Bool?
  /// Whether nothing that is shown may name its documents, because they leave it masked; nil means no.
  package var hidesNames: Bool?

  package static let defaultStateDir = ".gymmigrate"
  package static let usualRetry = 300.0

  package init() {}

  /// Returns a copy with another environment.
  package func target(_ name: String?) -> ConnectionSettings {
    var settings = self
    settings.environment = name
    return settings
  }

  /// Returns settings for another environment, which keep only the configuration, the state directory, the retry time and
  /// the bound.
  package func beside(_ name: String?) -> ConnectionSettings {
    var settings = ConnectionSettings()
    settings.environment = name
    (settings.files, settings.stateDir, settings.retryFor) = (files, stateDir, retryFor)
    settings.bound = bound
    return settings
  }

  /// A copy without the bound on the bill, which does not affect the work itself.
  package var unbounded: ConnectionSettings {
    var settings = self
    settings.bound = nil
    return settings
  }

  /// Whether any option names a database.
  package var namesDatabase: Bool {
    project != nil || database != nil || endpoint != nil || credentials != nil || accessTokenFile != nil
      || impersonateServiceAccount != nil
  }
}

/// How fast documents are written, and how many may fail.
package struct WriteSettings: Codable, Sendable, Equatable {
  /// The maximum writes per commit.
  package var batchSize = 100
  /// The maximum commits in flight.
  package var inFlight = 8
  package var maxWritesPerSecond: Double?
  /// Whether the rate starts at 500 writes per second; nil to do so only for the real service.
  package var ramp: Bool?
  @Text package var errorBudget: ErrorBudget?

  package init() {}

  package var limits: BatchLimits { BatchLimits(maximumWrites: batchSize, maximumInFlight: inFlight) }

  /// - Parameter share: This process's share of a rate that several processes share.
  package func pacer(for environment: DatabaseEnvironment, share: WritePacer.Share?) -> WritePacer {
    WritePacer(ramp: ramp ?? environment.isRealService, maximum: maxWritesPerSecond, share: share)
  }
}

/// What is output, and how.
package struct OutputSettings: Codable, Sendable, Equatable {
  /// Whether the summary is printed as JSON.
  package var json = false
  package var quiet = false
  package var verbose = 0
  package var logFormat = LogFormat.text
  package var noProgress = false

  package init() {}
}

/// How documents are read.
package struct ReadingSettings: Codable, Sendable, Equatable {
  package var pageSize = 300
  /// The number of concurrent requests.
  package var parallel = 1

  package init() {}

  /// Applies the settings to a read.
  package func apply(to read: inout CollectionRead) {
    read.pageSize = pageSize
    read.parallel = parallel
  }
}

/// Which documents of the given collections are selected.
package struct QuerySettings: Codable, Sendable, Equatable {
  /// Filters as typed, which are combined with AND.
  package var filters: [String] = []
  package var group = false
  package var failIfEmpty = false
  /// The time zone in which days begin; nil for the schema's.
  package var timeZone: String?

  package init() {}
}

extension ServiceAccountChain: RecordText {
  package static var recordKind: String { "name of a service account" }
  package var recordText: String? { description }
  package static func parse(recordText text: String?) -> Self? { text.flatMap { Self($0) } }
}

extension ErrorBudget: RecordText {
  package static var recordKind: String { "number of errors, or a share" }
  package var recordText: String? {
    switch self {
    case .count(let count): "\(count)"
    case .percent(let share): "\(share)%"
    }
  }
  package static func parse(recordText text: String?) -> Self? { text.flatMap { Self(parsing: $0) } }
}

extension ReadTimeChoice: RecordText {
  package static var recordKind: String { "moment to read at" }
  package var recordText: String? {
    switch self {
    case .pinned: nil
    case .now: "now"
    case .none: "none"
    case .at(let moment): moment.description
    }
  }
  package static func parse(recordText text: String?) -> Self? {
    text.map { Self(parsing: $0) } ?? .pinned
  }
}

extension CalendarDay: RecordText {
  package static var recordKind: String { "day, as 2026-01-05" }
  package var recordText: String? { text }
  package static func parse(recordText text: String?) -> Self? { text.flatMap { Self($0) } }
}
