/// Operations, backups and backup schedules of the service, as text and as JSON.
enum ManagedText {
  /// One line of `managed list`.
  static func line(_ operation: ManagedOperation) -> TerminalText {
    TerminalText(cells: [
      operation.name.id, operation.kind.name, operation.state.name, operation.startTime?.description ?? "-",
      operation.documents.map { amount($0) } ?? "-", operation.prefix ?? "-",
    ])
  }

  /// All details of an operation.
  static func lines(_ operation: ManagedOperation) -> TerminalText {
    let names = operation.collections.isEmpty ? "everything" : operation.collections.joined(separator: ", ")
    let isTransfer = operation.kind == .exportDocuments || operation.kind == .importDocuments
    let direction = operation.kind == .exportDocuments ? "to" : "from"
    let what = isTransfer ? ["\(operation.kind.name) of \(names)"] : [operation.kind.name]
    let rows: [(String, String?)] = [
      ("operation", operation.name.description),
      ("what", (what + (operation.prefix.map { ["\(direction) \($0)"] } ?? [])).joined(separator: " ")),
      ("state", operation.state.name),
      ("documents", operation.documents.map { amount($0) }),
      ("bytes", operation.bytes.map { bytes($0) }),
      ("snapshot", operation.snapshotTime?.description),
      ("started", operation.startTime?.description),
      ("ended", operation.endTime?.description),
      ("error", operation.error?.description),
    ]
    let lines = rows.compactMap { name, value in
      value.map { TerminalText("\(name)\(String(repeating: " ", count: 11 - name.utf8.count))\($0)") }
    }
    return "\(lines.joined(separator: "\n"))\n"
  }

  /// `1,234 of 10,000 (12 %)`, or the completed amount if there is no estimate.
  static func amount(_ amount: ManagedOperation.Amount) -> String {
    let done = NumberText.grouped(amount.completed)
    guard let estimated = amount.estimated, estimated > 0 else { return done }
    let percent = min(100, amount.completed.multipliedClamped(by: 100) / estimated)
    return "\(done) of \(NumberText.grouped(estimated)) (\(percent) %)"
  }

  /// `3.1 of 12.0 GB`, or the completed amount if there is no estimate.
  static func bytes(_ amount: ManagedOperation.Amount) -> String {
    let units: [(name: String, size: Double)] = [("GB", 1e9), ("MB", 1e6), ("kB", 1e3)]
    let largest = Double(max(amount.completed, amount.estimated ?? 0))
    let unit = units.first { largest >= $0.size }
    func text(_ count: Int) -> String {
      guard let unit else { return "\(count)" }
      return "\((Double(count) / unit.size * 10).rounded() / 10)"
    }
    let done = text(amount.completed)
    let name = unit?.name ?? "bytes"
    guard let estimated = amount.estimated, estimated > 0 else { return "\(done) \(name)" }
    return "\(done) of \(text(estimated)) \(name)"
  }

  /// One line of `managed backups` for a schedule.
  static func line(_ schedule: BackupSchedule) -> TerminalText {
    let kept = schedule.retention.map { "kept \(days($0))" } ?? "-"
    return TerminalText(cells: ["schedule", recurrence(schedule), kept, FilePaths.name(of: schedule.name)])
  }

  /// One line of `managed backups` for a backup.
  static func line(_ backup: Backup) -> TerminalText {
    TerminalText(cells: [
      "backup", backup.state, backup.snapshotTime?.description ?? "-",
      backup.expireTime.map { "expires \($0)" } ?? "-",
      backup.documents.map { "\(NumberText.counted($0, "document"))" } ?? "-", backup.name,
    ])
  }

  /// `daily`, `weekly on SUNDAY`.
  private static func recurrence(_ schedule: BackupSchedule) -> String {
    switch schedule.recurrence {
    case .daily: "daily"
    case .weekly(let day): "weekly on \(day)"
    case .other: "in another way"
    }
  }

  private static func days(_ seconds: Int) -> String {
    let (days, rest) = seconds.quotientAndRemainder(dividingBy: 86_400)
    return rest == 0 ? NumberText.counted(days, "day") : "\(seconds) s"
  }

  // MARK: JSON

  /// The JSON of `managed backups`, one line.
  static func json(_ schedules: [BackupSchedule], _ backups: [Backup], unreachable: [String]) -> [UInt8] {
    JSONWriter.object { json in
      json.member("schedules", objects: schedules) { json, schedule in
        json.member("name", schedule.name)
        json.member("recurrence", recurrence(schedule))
        json.member("retentionSeconds", schedule.retention)
        json.member("createTime", schedule.createTime)
      }
      json.member("backups", objects: backups) { json, backup in
        json.member("name", backup.name)
        json.member("database", backup.database)
        json.member("state", backup.state)
        json.member("snapshotTime", backup.snapshotTime)
        json.member("expireTime", backup.expireTime)
        json.member("documents", backup.documents)
        json.member("bytes", backup.bytes)
      }
      json.member("unreachable", strings: unreachable)
    }
  }
}

/// The operation of a command of the managed service in its summary.
struct OperationSection: SummarySection {
  let operation: ManagedOperation

  init(_ operation: ManagedOperation) { self.operation = operation }

  var name: StaticString { "operation" }

  /// `export: 1,234 of 10,000 (12 %), 3.1 of 12.0 GB, PROCESSING`.
  var line: String? {
    let parts = [
      operation.documents.map { ManagedText.amount($0) + " documents" },
      operation.bytes.map(ManagedText.bytes),
      operation.state.name,
    ]
    return "\(operation.kind.name): \(parts.compactMap { $0 }.joined(separator: ", "))"
  }

  private enum CodingKeys: String, CodingKey {
    case name, kind, state, done, collections, prefix, snapshotTime, startTime, endTime, documents, bytes,
      output
    case error, status, message
  }

  func encode(to encoder: any Encoder) throws {
    var json = encoder.container(keyedBy: CodingKeys.self)
    try json.encode(operation.name.description, forKey: .name)
    try json.encode(operation.kind.name, forKey: .kind)
    try json.encode(operation.state.name, forKey: .state)
    try json.encode(operation.isDone, forKey: .done)
    try json.encode(operation.collections, forKey: .collections)
    try json.encodeIfPresent(operation.prefix, forKey: .prefix)
    try json.encodeIfPresent(operation.snapshotTime, forKey: .snapshotTime)
    try json.encodeIfPresent(operation.startTime, forKey: .startTime)
    try json.encodeIfPresent(operation.endTime, forKey: .endTime)
    try json.encodeIfPresent(operation.documents, forKey: .documents)
    try json.encodeIfPresent(operation.bytes, forKey: .bytes)
    try json.encodeIfPresent(operation.output, forKey: .output)
    if let failure = operation.error {
      var error = json.nestedContainer(keyedBy: CodingKeys.self, forKey: .error)
      try error.encode(failure.status.name, forKey: .status)
      try error.encode(failure.message, forKey: .message)
    }
  }
}
