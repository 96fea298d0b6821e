import FirestoreModels
import GRDB

/// The backup schedules of the embedded store, and the backups that they would have made by now.
extension ServiceCall {
  /// `backupSchedules.create`: one daily and one weekly schedule at most.
  func createBackupSchedule(_ database: DatabaseName) throws {
    _ = try parameters()
    let (retention, day) = try decoder.backupSchedule(request.body)
    let plan = BackupPlan(
      id: Self.automaticID(),
      retention: retention,
      day: day,
      createTime: store.clock.now()
    )
    try store.write(database) { transaction, _ in
      let db = transaction.db
      try db.execute(
        sql: """
          CREATE TABLE IF NOT EXISTS backup_schedules (
            id INTEGER PRIMARY KEY,
            database INTEGER NOT NULL REFERENCES databases (id),
            name TEXT NOT NULL UNIQUE,
            retention INTEGER NOT NULL,
            day INTEGER,
            create_time INTEGER NOT NULL
          )
          """
      )
      let others = try Self.plans(of: transaction.database, db)
      if others.contains(where: { ($0.day == nil) == (day == nil) }) {
        let kind = day == nil ? "daily" : "weekly"
        throw FirestoreError(.alreadyExists, "The database already has a \(kind) backup schedule.")
      }
      try db.execute(
        sql:
          "INSERT INTO backup_schedules (database, name, retention, day, create_time) VALUES (?, ?, ?, ?, ?)",
        arguments: [transaction.database, plan.id, plan.retention, plan.day, plan.createTime]
      )
    }
    respond { plan.write(to: &$0, in: database) }
  }

  func listBackupSchedules(_ database: DatabaseName) throws {
    _ = try parameters()
    let plans = try plans(of: database)
    respond {
      $0.object {
        $0.member("backupSchedules", plans) { plan, json in plan.write(to: &json, in: database) }
      }
    }
  }

  /// `backups.list` of a project, in all locations (`-`) or in the store's own (`local`).
  func listBackups(_ project: String, _ location: String) throws {
    _ = try parameters(["filter"])
    let isHere = location == "-" || location == "local"
    var backups: [(plan: BackupPlan, moment: Int64, database: DatabaseName)] = []
    for (database, _) in isHere ? try store.databases(of: project) : [] {
      for plan in try plans(of: database) {
        backups += plan.moments(at: store.clock.now()).map { (plan, $0, database) }
      }
    }
    respond {
      $0.object {
        $0.member("backups", backups) { backup, json in
          backup.plan.write(backupAt: backup.moment, to: &json, in: backup.database)
        }
      }
    }
  }

  private func plans(of database: DatabaseName) throws -> [BackupPlan] {
    try store.read(database) { snapshot in
      guard let row = snapshot.database, try snapshot.db.tableExists("backup_schedules") else { return [] }
      return try Self.plans(of: row, snapshot.db)
    }
  }

  private static func plans(of database: Int64, _ db: Database) throws -> [BackupPlan] {
    let sql = "SELECT name, retention, day, create_time FROM backup_schedules WHERE database = ? ORDER BY id"
    return try StatementReader(db, sql, [database]).map { row in
      let day = row.type(2) == .null ? nil : Int(exactly: row.integer(2))
      let retention = row.integer(1)
      guard (1...BackupPlan.maximumRetention).contains(retention),
        day.map(BackupPlan.days.indices.contains) ?? true
      else { throw FirestoreError(.dataLoss, "A backup schedule of the data file is damaged.") }
      return BackupPlan(id: row.string(0), retention: retention, day: day, createTime: row.integer(3))
    }
  }
}

extension RequestDecoder {
  /// Decodes a `BackupSchedule`: its retention in seconds, and the day of a weekly one.
  func backupSchedule(_ body: [UInt8]) throws(FirestoreError) -> (retention: Int64, day: Int?) {
    try decode(body) { json, wire throws(WireError) in
      var retention: Int64?
      var recurrence: Int??
      try wire.message(json) { name, value, wire throws(WireError) in
        switch name {
        case "retention":
          let text = try value.text()
          guard text.hasSuffix("s"), let seconds = Int64(text.dropLast()),
            (1...BackupPlan.maximumRetention).contains(seconds)
          else { throw WireError("it must be a duration of up to 14 weeks, as 604800s") }
          retention = seconds
        case "dailyRecurrence":
          try wire.message(value) { name, _, wire throws(WireError) in try wire.refuse(name) }
          recurrence = .some(nil)
        case "weeklyRecurrence":
          let day = try wire.message(value, Int?.none) { day, name, value, wire throws(WireError) in
            guard name == "day" else { return try wire.refuse(name) }
            let text = try value.text()
            day = BackupPlan.days.firstIndex { $0.isIdentical(to: text) }
          }
          guard let day else { throw WireError("it has no day of the week") }
          recurrence = .some(day)
        default: try wire.refuse(name)
        }
      }
      guard let retention, let recurrence else { throw WireError("it needs a retention and a recurrence") }
      return (retention, recurrence)
    }
  }
}
