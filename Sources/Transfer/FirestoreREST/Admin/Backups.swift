/// A backup of a database that the service created by a schedule.
package struct Backup: Sendable, Equatable {
  /// `projects/P/locations/L/backups/B`.
  package var name: String
  /// The database that was backed up: `projects/P/databases/D`.
  package var database: String
  /// `CREATING`, `READY` or `NOT_AVAILABLE`.
  package var state: String
  /// The moment that it represents.
  package var snapshotTime: Timestamp?
  /// The time at which the service deletes it.
  package var expireTime: Timestamp?
  /// The number of documents, once the service knows it.
  package var documents: Int?
  /// The size of documents and index entries in bytes, once the service knows it.
  package var bytes: Int?

  init(_ json: JSONCursor) throws(CallFailure) {
    guard json.kind == .object, let name = json["name"]?.string else {
      throw .malformed("a backup has no name")
    }
    self.name = name
    database = json["database"]?.string ?? ""
    state = json["state"]?.string ?? "STATE_UNSPECIFIED"
    snapshotTime = json.time("snapshotTime")
    expireTime = json.time("expireTime")
    documents = json["stats"]?["documentCount"].flatMap { WireDecoder.count($0) }
    bytes = json["stats"]?["sizeBytes"].flatMap { WireDecoder.count($0) }
  }
}

extension Sequence {
  /// Returns the elements sorted by time, newest first, and by name if they have the same time.
  ///
  /// An element without a time has only just begun.
  func newestFirst(_ key: (Element) -> (time: Timestamp?, name: String)) -> [Element] {
    sorted { a, b in
      let (a, b) = (key(a), key(b))
      guard a.time == b.time else {
        guard let first = a.time else { return true }
        guard let second = b.time else { return false }
        return first > second
      }
      return a.name.compareUTF8(b.name) < 0
    }
  }
}

/// When the service backs up a database, and how long it keeps the backups.
package struct BackupSchedule: Sendable, Equatable {
  /// How often a backup is made; days are those of UTC.
  package enum Recurrence: Sendable, Equatable {
    case daily
    /// Weekly on a day, such as `SUNDAY`.
    case weekly(String)
    /// A recurrence that this version does not know.
    case other
  }

  /// `projects/P/databases/D/backupSchedules/S`.
  package var name: String
  package var recurrence: Recurrence
  /// The number of seconds until a backup expires.
  package var retention: Int?
  package var createTime: Timestamp?

  init(_ json: JSONCursor) throws(CallFailure) {
    guard json.kind == .object, let name = json["name"]?.string else {
      throw .malformed("a backup schedule has no name")
    }
    self.name = name
    createTime = json.time("createTime")
    // A Duration: seconds, possibly with a fraction, and an `s`.
    retention = json["retention"]?.string.flatMap { text in
      text.hasSuffix("s") ? Double(text.dropLast()).flatMap { Int(exactly: $0.rounded()) } : nil
    }
    if json["dailyRecurrence"] != nil {
      recurrence = .daily
    } else if let weekly = json["weeklyRecurrence"] {
      recurrence = .weekly(weekly["day"]?.string ?? "DAY_OF_WEEK_UNSPECIFIED")
    } else {
      recurrence = .other
    }
  }
}

extension FirestoreClient {
  /// Returns the backups of the database in all locations, newest first, and the locations that did not respond.
  ///
  /// - Throws: ``Failure``.
  package func backups() async throws(Failure) -> (backups: [Backup], unreachable: [String]) {
    var url = "\(endpoint)/v1/"
    PercentEncoding.appendPath("projects/\(database.project)/locations/-/backups", to: &url)
    let (all, unreachable) = try await caller.call(
      .listBackups,
      get(url),
      operation: "list the backups of",
      path: database.description
    ) { (_, root) throws(CallFailure) -> ([Backup], [String]) in
      (
        try root.list("backups", called: "the backups", Backup.init),
        root["unreachable"]?.elements.compactMap(\.string) ?? []
      )
    }
    let backups = all.filter { DatabaseName(parsing: $0.database)?.isSame(as: database) ?? false }
    return (backups.newestFirst { ($0.snapshotTime, $0.name) }, unreachable)
  }

  /// Returns the backup schedules of the database.
  ///
  /// - Throws: ``Failure``.
  package func backupSchedules() async throws(Failure) -> [BackupSchedule] {
    try await caller.call(
      .listBackupSchedules,
      get("\(databaseURL)/backupSchedules"),
      operation: "list the backup schedules of",
      path: database.description
    ) { (_, root) throws(CallFailure) in
      try root.list("backupSchedules", called: "the backup schedules", BackupSchedule.init)
    }
  }
}
