import FirestoreModels

/// A backup schedule of the embedded store, and the backups that it would have made by now.
///
/// Nothing is backed up: the list follows from the schedule and the clock alone.
struct BackupPlan: Sendable, Equatable {
  /// The days of `google.type.DayOfWeek`, Monday first.
  static let days = ["MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY", "SUNDAY"]
  /// The longest retention: 14 weeks (https://firebase.google.com/docs/firestore/backups).
  static let maximumRetention: Int64 = 14 * 7 * 86_400

  var id: String
  /// Seconds.
  var retention: Int64
  /// The index in ``days`` of a weekly schedule; nil for a daily one.
  var day: Int?
  /// Microseconds since 1970.
  var createTime: Int64

  /// The moments of the backups that have not expired, the latest first, in seconds since 1970: midnights of UTC.
  ///
  /// - Parameter now: Microseconds since 1970.
  func moments(at now: Int64) -> [Int64] {
    let seconds = now.flooredDivision(by: 1_000_000)
    let created = createTime.flooredDivision(by: 1_000_000)
    var moments: [Int64] = []
    var midnight = seconds.flooredDivision(by: 86_400) * 86_400
    while midnight > created, midnight + retention > seconds {
      // 1970-01-01 was a Thursday.
      if day == nil || Int((midnight / 86_400 + 3).flooredRemainder(by: 7)) == day {
        moments.append(midnight)
      }
      midnight -= 86_400
    }
    return moments
  }

  /// Writes the schedule as a `BackupSchedule`.
  func write(to json: inout JSONWriter, in database: DatabaseName) {
    json.object {
      $0.member("name", "\(database)/backupSchedules/\(id)")
      $0.member("createTime", Timestamp(microseconds: createTime))
      $0.member("updateTime", Timestamp(microseconds: createTime))
      $0.member("retention", "\(retention)s")
      if let day {
        $0.key("weeklyRecurrence")
        $0.object { $0.member("day", Self.days[day]) }
      } else {
        $0.key("dailyRecurrence")
        $0.object { _ in }
      }
    }
  }

  /// Writes a backup of the schedule as a `Backup`.
  func write(backupAt moment: Int64, to json: inout JSONWriter, in database: DatabaseName) {
    json.object {
      $0.member("name", "projects/\(database.project)/locations/local/backups/\(id)-\(moment / 86_400)")
      $0.member("database", database.description)
      $0.member("snapshotTime", Timestamp(seconds: moment))
      $0.member("expireTime", Timestamp(seconds: moment + retention))
      $0.member("state", "READY")
    }
  }
}
