import Transfer

/// The time since which documents must have been updated to be in an increment.
enum SinceChoice {
  /// The last export to the same folder.
  case last
  case moment(Timestamp)

  var text: String {
    switch self {
    case .last: "last"
    case .moment(let moment): moment.description
    }
  }
}

extension TypedValue {
  static let since = ValueReader(
    "time|last",
    expecting: "last, or a time as 2026-01-31T12:00:00Z"
  ) { text in
    text == "last" ? SinceChoice.last : Timestamp(text).map { .moment($0) }
  }
}

/// Options for which exports of a schedule to keep.
struct RetentionOptions: ParsableArguments {
  @Option(
    help:
      "With --dated: of the exports to this folder that were asked for in the same way, keep the newest n whole ones, and remove others and their increments.",
    from: 1
  )
  var keep: Int?

  @Option(help: "And the newest one of each of the newest n days.", from: 1)
  var keepDaily: Int?

  @Option(help: "Of n weeks.", from: 1) var keepWeekly: Int?
  @Option(help: "Of n months.", from: 1) var keepMonthly: Int?
  @Option(help: "Of n years.", from: 1) var keepYearly: Int?

  @Option(help: "And all of this time before the newest, such as 14d.", as: TypedValue.duration)
  var keepWithin: Duration?

  /// The policy; nil if nothing is removed.
  var policy: RetentionPolicy? {
    var policy = RetentionPolicy()
    (policy.last, policy.daily, policy.weekly) = (keep, keepDaily, keepWeekly)
    (policy.monthly, policy.yearly) = (keepMonthly, keepYearly)
    policy.within = keepWithin?.components.seconds
    return policy.isEmpty ? nil : policy
  }
}

/// Options for an export that is repeated on a schedule.
struct ScheduleOptions: ParsableArguments {
  @Flag(
    help:
      "Export into a new folder of -o that is named after the moment, as 2026-11-21T020000Z; 'latest' links to the newest (JSON Lines unless --format says otherwise)."
  )
  var dated = false

  @OptionGroup var retention: RetentionOptions

  @Option(
    help:
      "Only documents that were updated at or after this, by the field of the schema: a time, or 'last' for the last export to the same folder (with --dated).",
    as: TypedValue.since
  )
  var since: SinceChoice?

  func validate() throws {
    if retention.policy != nil, !dated { throw ValidationError("--keep goes with --dated.") }
    if case .last = since, !dated {
      throw ValidationError("--since last requires --dated: the folder records what was exported last.")
    }
  }

  /// Refuses options that are incompatible with the rest of an export.
  func validate(_ job: ExportJob) throws {
    if dated, job.output == "-" || ExportJob.Format(fileName: job.output) != nil {
      throw ValidationError("--output: '\(job.output)' is no folder, and --dated needs one.")
    }
    guard since != nil else { return }
    if job.query.group || job.isDeep && !dated {
      throw ValidationError(
        "--since asks one collection at a time by its update time: no --group, and --subcollections with --dated only."
      )
    }
    if !job.query.filters.isEmpty || job.orderBy != nil || job.limit != nil {
      throw ValidationError("--since takes everything that is new: no --where, --order-by or --limit.")
    }
  }
}
