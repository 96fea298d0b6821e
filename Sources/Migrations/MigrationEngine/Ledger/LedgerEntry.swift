package import Configuration
package import Runs

/// `_gymmigrate_runs/RUN`: what was done to a database, by whom, with which migrations, and how it ended.
package struct LedgerEntry: Sendable, Equatable {
  package struct Applied: Codable, Sendable, Equatable {
    package var id: String
    /// The SHA-256 of its file; nil for one of the program's.
    package var checksum: String?
    /// The SHA-256 of its file as it was accepted later, without being applied again.
    package var accepted: String?
    /// When a plan had nothing to change any more, by the service's clock.
    package var verifiedAt: Timestamp?
    /// Whether the command that applied it has still to verify it: it was stopped before that.
    package var isDue = false
    /// Whether the last plan after it was applied had something to change.
    package var hasLeft = false

    /// What a job or a plan has of it; the rest is of the ledger alone.
    private enum CodingKeys: String, CodingKey { case checksum, id }

    /// The checksum that its file has to have.
    package var standing: String? { accepted ?? checksum }

    package init(id: String, checksum: String?) {
      self.id = id
      self.checksum = checksum
    }
  }

  package enum Status: String, Sendable, CaseIterable {
    /// It runs, or was killed.
    case running
    /// It ended; something may be left for a person.
    case done, incomplete
    /// It stopped before it was done.
    case failed, interrupted
    case undone
    /// It stopped before it was done, and `unlock` lets other runs begin all the same.
    case cleared
  }

  static let collection = CollectionPath(nil, "_gymmigrate_runs")

  package var run: String
  /// The command, as `migrate apply prices`.
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
  /// When it began, by the service's clock.
  package var startedAt: Timestamp?
  /// When it was written last, by the service's clock.
  package var changedAt: Timestamp?
  /// The run that it undoes.
  package var undoes: String?
  /// The run that undid it.
  package var undoneBy: String?
  /// The documents that this one could not put back, so that it may be undone again.
  package var leftToUndo = 0
  /// Whether a person says that its migrations were done by hand.
  package var isByHand = false
  /// Why a gate was passed all the same.
  package var override: String?
  /// The migrations that are applied after it, each by a run of its own.
  package var planned: [String] = []
  /// The migrations that were tried on a copy of a database, and nothing was found.
  package var rehearsed: [Applied] = []
  /// The migrations whose work it took back without being their undo, as a reset or a restore does.
  package var takenBack: [String] = []
  /// The migrations to whose collections it wrote without being one of them, as a copy or an import does.
  package var rewrites: [String] = []
  /// The place of its tasks, of a run that is divided among them.
  package var shards: String?
  /// What applying those costs, by the plan of the copy; nil for no rehearsal.
  package var rehearsedCost: Cost?
  /// When its document was created; nil where it was not read.
  var createTime: Timestamp?
  /// The update time of its document as it was read or written last; nil where there is none.
  var updateTime: Timestamp?

  /// The entry of a new run.
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

  /// Whether it runs, or stopped before it was done, so that no other run may begin.
  package var blocks: Bool {
    switch status {
    case .running: true
    case .failed, .interrupted: hasChanged
    case .done, .incomplete, .undone, .cleared: false
    }
  }

  /// Its counts; nil where it has not recorded them: it runs, or did not come to its end.
  package var knownTotals: DocumentCounts? {
    switch status {
    case .running, .cleared, .undone: totals == DocumentCounts() && hasChanged ? nil : totals
    case .done, .incomplete, .failed, .interrupted: totals
    }
  }

  /// The filter for those that may block: a status of another version counts as running.
  static var blocking: StructuredQuery.Filter {
    let others: [Status] = [.done, .incomplete, .undone, .cleared]
    return .field(FieldPath(field: "status"), .notIn, .array(others.map { .string($0.rawValue) }))
  }

  var path: DocumentPath { DocumentPath(Self.collection, run) }

  /// Reads a document of the ledger, also of another version: a missing field is empty.
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

  /// The fields of the document but the times that the service sets.
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

  /// The write of the entry, provided that its document is still as it was read.
  ///
  /// Fields that another version may have added are left.
  var write: Write {
    var transforms = [FieldTransform(FieldPath(field: "changedAt"), .requestTime)]
    if startedAt == nil { transforms.append(FieldTransform(FieldPath(field: "startedAt"), .requestTime)) }
    let fields = fields
    // A number that has come down to none is no field any more.
    let names = fields.entries.map(\.name) + (leftToUndo == 0 ? ["leftToUndo"] : [])
    return Write(
      path: path,
      operation: .update(
        fields: fields,
        mask: updateTime.map { _ in names.map { FieldPath(field: $0) } }
      ),
      transforms: transforms,
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
