package import Configuration
package import Runs

/// `_gymmigrate_runs/RUN`: what was done to a database, by whom, with which migrations, and how it ended.
package struct LedgerEntry: Sendable, Equatable {
  package struct Applied: Codable, Sendable, Equatable {
    package var id: String
    /// The SHA-256 of its file; nil for a built-in migration.
    package var checksum: String?
    /// The SHA-256 of a later version of its file, which was accepted without being applied again.
    package var accepted: String?
    /// When a plan found nothing left to change, by the service's clock.
    package var verifiedAt: Timestamp?
    /// Whether the command that applied it was stopped before it could verify it.
    package var isDue = false
    /// Whether the last plan after it was applied found something to change.
    package var hasLeft = false

    /// The members stored in jobs and plans; the others are only in the ledger.
    private enum CodingKeys: String, CodingKey { case checksum, id }

    /// The checksum that its file must have.
    package var standing: String? { accepted ?? checksum }

    /// Whether it is not a migration but what a plan file of another command has in its place.
    package var isOneOff: Bool {
      // A file may be called 'restore', and has a checksum.
      checksum == nil && id.isIdentical(to: "restore")
        || MigrationFile.reserved.contains { $0.isIdentical(to: id) }
    }

    package init(id: String, checksum: String?) {
      self.id = id
      self.checksum = checksum
    }
  }

  package enum Status: String, Sendable, CaseIterable {
    /// It is running, or was killed.
    case running
    /// It finished; something may be left for review.
    case done, incomplete
    /// It stopped early.
    case failed, interrupted
    case undone
    /// It stopped early, and `unlock` lets other runs begin all the same.
    case cleared
  }

  static let collection = CollectionPath(nil, "_gymmigrate_runs")
  static func path(of run: String) -> DocumentPath { DocumentPath(collection, run) }

  package var run: String
  /// The command, such as `migrate apply prices`.
  package var command: String
  package var migrations: [Applied]
  /// The user who ran it, as `user@host`.
  package var holder: String
  /// The version of gymmigrate.
  package var version: String
  package var status: Status
  /// Whether it has written, or may have.
  package var hasChanged: Bool
  package var totals: DocumentCounts
  /// When its first process began, by the service's clock.
  package var startedAt: Timestamp?
  /// When its last process ended, by the service's clock; nil while it is running, and in entries of earlier versions.
  package var endedAt: Timestamp?
  /// When the entry was last written, by the service's clock.
  package var changedAt: Timestamp?
  /// The run that this run undoes.
  package var undoes: String?
  /// The run that undid this run.
  package var undoneBy: String?
  /// The number of documents that the undo could not restore, so that the run may be undone again.
  package var leftToUndo = 0
  /// Whether a person declared that its migrations were applied by hand.
  package var isByHand = false
  /// Why a gate was overridden.
  package var override: String?
  /// The migrations that are applied after this run, each by its own run.
  package var planned: [String] = []
  /// The migrations that were rehearsed on a copy of a database without problems.
  package var rehearsed: [Applied] = []
  /// The migrations whose work this run reverted without being their undo, as a reset or a restore does.
  package var takenBack: [String] = []
  /// The migrations to whose collections this run wrote without being one of them, as a copy, an import or an undo does.
  package var rewrites: [String] = []
  /// The place of the tasks, for a run that is divided into tasks.
  package var shards: String?
  /// Whether the next write of the entry records that the run has ended.
  var endsNow = false
  /// The cost of applying ``rehearsed``, according to the copy's plan; nil if this is not a rehearsal.
  package var rehearsedCost: Cost?
  /// When the entry's document was created; nil if it was not read.
  var createTime: Timestamp?
  /// The update time of the entry's document when last read or written; nil if there is none.
  var updateTime: Timestamp?

  /// Creates the entry of a new run.
  package init(run: String, command: String, migrations: [Applied], holder: String, undoes: String? = nil) {
    self.run = run
    self.command = command
    self.migrations = migrations
    self.holder = holder
    self.undoes = undoes
    version = gymmigrateVersion
    status = .running
    hasChanged = true
    totals = DocumentCounts()
  }

  /// Whether it is running or stopped early, so that no other run may begin.
  package var blocks: Bool {
    switch status {
    case .running: true
    case .failed, .interrupted: hasChanged
    case .done, .incomplete, .undone, .cleared: false
    }
  }

  /// Whether it may have written after a point in time; entries of earlier versions are judged by their last write.
  ///
  /// Times that the service sets in fields have milliseconds, cut off.
  func mayHaveEnded(after moment: Timestamp) -> Bool {
    guard status != .running, let end = endedAt ?? changedAt else { return true }
    return end.microseconds >= moment.microseconds.flooredDivision(by: 1000) * 1000
  }

  /// Whether anything that it wrote is still there, as far as is known: it is not undone, or only in part.
  var isStanding: Bool { status != .undone || leftToUndo > 0 }

  /// Its counts; nil if it has not recorded them, because it is running or stopped early.
  package var knownTotals: DocumentCounts? {
    switch status {
    case .running, .cleared, .undone: totals == DocumentCounts() && hasChanged ? nil : totals
    case .done, .incomplete, .failed, .interrupted: totals
    }
  }

  /// The filter for entries that may block; an unknown status of another version counts as running.
  static var blocking: StructuredQuery.Filter {
    let others: [Status] = [.done, .incomplete, .undone, .cleared]
    return .field(FieldPath(field: "status"), .notIn, .array(others.map { .string($0.rawValue) }))
  }

  var path: DocumentPath { DocumentPath(Self.collection, run) }

  /// Reads a document of the ledger, which another version may have written: a missing field is empty.
  init(_ document: RawDocument) {
    let fields = document.fields
    run = document.path.id
    command = fields["command"]?.string ?? ""
    migrations = Self.applied(fields["migrations"])
    rehearsed = Self.applied(fields["rehearsed"])
    if let cost = fields["cost"]?.map {
      func number(_ name: String) -> Int { Int(cost[name]?.integer ?? 0) }
      rehearsedCost = Cost(reads: number("reads"), writes: number("writes"), deletes: number("deletes"))
    }
    holder = fields["holder"]?.string ?? ""
    version = fields["toolVersion"]?.string ?? ""
    status = fields["status"]?.string.flatMap { Status(rawValue: $0) } ?? .running
    hasChanged = fields["hasChanged"]?.boolean ?? true
    totals = DocumentCounts()
    for (name, member) in Self.counts {
      totals[keyPath: member] = Int(fields["totals"]?.map?[name]?.integer ?? 0)
    }
    startedAt = fields["startedAt"]?.timestamp
    // A run that was resumed has that of an earlier process.
    endedAt = status == .running ? nil : fields["endedAt"]?.timestamp
    changedAt = fields["changedAt"]?.timestamp
    undoes = fields["undoes"]?.string
    undoneBy = fields["undoneBy"]?.string
    leftToUndo = fields["leftToUndo"]?.integer.map { Int($0) } ?? 0
    isByHand = fields["byHand"]?.boolean ?? false
    override = fields["override"]?.string
    shards = fields["shards"]?.string
    planned = fields["planned"]?.array?.compactMap(\.string) ?? []
    takenBack = fields["takenBack"]?.array?.compactMap(\.string) ?? []
    rewrites = fields["rewrites"]?.array?.compactMap(\.string) ?? []
    (createTime, updateTime) = (document.createTime, document.updateTime)
  }

  private static func applied(_ value: Value?) -> [Applied] {
    (value?.array ?? []).compactMap { $0.map.flatMap { Applied($0) } }
  }

  private static var counts: [(String, WritableKeyPath<DocumentCounts, Int>)] {
    [
      ("read", \.read), ("created", \.created), ("written", \.written), ("unchanged", \.unchanged),
      ("skipped", \.skipped), ("rejected", \.rejected), ("conflicted", \.conflicted), ("review", \.review),
      ("deleted", \.deleted),
    ]
  }

  /// The fields of the document, without the times that the service sets.
  var fields: FieldMap {
    var fields: FieldMap = [
      "command": .string(command), "hasChanged": .boolean(hasChanged), "holder": .string(holder),
      "runId": .string(run), "status": .string(status.rawValue), "toolVersion": .string(version),
    ]
    fields["migrations"] = .array(migrations.map { .map($0.fields) })
    fields["totals"] = .map(
      FieldMap(Self.counts.map { .init(name: $0.0, value: .integer(Int64(totals[keyPath: $0.1]))) })
    )
    if let startedAt { fields["startedAt"] = .timestamp(startedAt) }
    if let endedAt { fields["endedAt"] = .timestamp(endedAt) }
    if let undoes { fields["undoes"] = .string(undoes) }
    if let undoneBy { fields["undoneBy"] = .string(undoneBy) }
    if leftToUndo > 0 { fields["leftToUndo"] = .integer(Int64(leftToUndo)) }
    if isByHand { fields["byHand"] = .boolean(true) }
    if let override { fields["override"] = .string(override) }
    if let shards { fields["shards"] = .string(shards) }
    if let cost = rehearsedCost {
      let numbers = [("reads", cost.reads), ("writes", cost.writes), ("deletes", cost.deletes)]
      fields["cost"] = .map(FieldMap(numbers.map { .init(name: $0.0, value: .integer(Int64($0.1))) }))
    }
    if !rehearsed.isEmpty { fields["rehearsed"] = .array(rehearsed.map { .map($0.fields) }) }
    if !takenBack.isEmpty { fields["takenBack"] = .array(takenBack.map { .string($0) }) }
    if !rewrites.isEmpty { fields["rewrites"] = .array(rewrites.map { .string($0) }) }
    if !planned.isEmpty { fields["planned"] = .array(planned.map { .string($0) }) }
    return fields
  }

  /// The write of the entry, provided that its document is unchanged since it was read.
  ///
  /// Fields that another version may have added are preserved.
  var write: Write {
    var times = ["changedAt"]
    if startedAt == nil, updateTime == nil { times.append("startedAt") }
    if endsNow { times.append("endedAt") }
    var fields = fields
    if endsNow { fields["endedAt"] = nil }
    // A count that has dropped to zero is removed.
    let names = fields.entries.map(\.name) + (leftToUndo == 0 ? ["leftToUndo"] : [])
    return Write(
      path: path,
      operation: .update(
        fields: fields,
        mask: updateTime.map { _ in names.map { FieldPath(field: $0) } }
      ),
      transforms: times.map { FieldTransform(FieldPath(field: $0), .requestTime) },
      precondition: updateTime.map { .updateTime($0) } ?? .exists(false)
    )
  }
}

extension LedgerEntry.Applied {
  fileprivate init?(_ map: FieldMap) {
    guard let id = map["id"]?.string else { return nil }
    self.init(id: id, checksum: map["checksum"]?.string)
    (accepted, verifiedAt) = (map["accepted"]?.string, map["verifiedAt"]?.timestamp)
    isDue = map["isDue"]?.boolean ?? false
    hasLeft = map["hasLeft"]?.boolean ?? false
  }

  fileprivate var fields: FieldMap {
    var map: FieldMap = ["id": .string(id)]
    if let checksum { map["checksum"] = .string(checksum) }
    if let accepted { map["accepted"] = .string(accepted) }
    if let verifiedAt { map["verifiedAt"] = .timestamp(verifiedAt) }
    if isDue { map["isDue"] = .boolean(true) }
    if hasLeft { map["hasLeft"] = .boolean(true) }
    return map
  }
}
