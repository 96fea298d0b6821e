import Configuration
import Restoration

/// `gymmigrate restore`: restores documents to an earlier state.
struct RestoreCommand: JobCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore",
    abstract: "Make documents what they were, at a moment or in a backup.",
    discussion: """
      Compares the database with how it was: at a moment of its own (--at), or in an export, a file of JSON Lines or a mirror \
      (--from). What was updated since is put back, what was \
      deleted is created, what was created is deleted: each only if it is still as it was read; what somebody changes \
      meanwhile is left alone and listed as a conflict. It is a run as any other, resumed and undone as one. Deletions \
      require --max-delete, or are asked about on a terminal.

        gymmigrate restore --all --at 2026-01-31T11:58:00Z -e stage -n
        gymmigrate restore users/u1 orders --at 2026-01-31T11:58:00Z -e stage \\
            --max-delete 20
        gymmigrate restore --all --from nightly/latest -e stage \\
            --keep-changed-since 2026-01-31T12:30:00Z
        gymmigrate restore --all --from gs://backups/nightly/latest -e prod \\
            --max-delete 200 --confirm prod
      """
  )

  /// The extent of an export.
  enum Extent: String, CaseIterable, ExpressibleByArgument {
    case whole, partial
  }

  @Argument(
    help:
      "Paths of collections and documents, as users, orders/o1/items or users/u1; patterns, as 'log*' or 'orders/*/items'."
  )
  var names: [String] = []

  @Flag(help: "Every root collection except gymmigrate's own.")
  var all = false

  @Option(help: "The moment to which the database goes back.", as: TypedValue.moment)
  var at: Timestamp?

  @Option(
    help:
      "A folder of an export, a file of JSON Lines (both also as gs://BUCKET/NAME), mirror:FILE, or ENV@TIME of this environment; repeat it for increments.",
    as: TypedValue.text("place")
  )
  var from: [String] = []

  @Option(
    help: "The database that the files of --from are of, where it is not this one.",
    as: TypedValue.database
  )
  var source: DatabaseName?

  @Option(help: "partial: also from an export that is not of everything; what it cannot know is left alone.")
  var scope = Extent.whole

  @Flag(inversion: .prefixedNo, help: "Restore subcollections, too (not with --where).")
  var subcollections = true

  @Option(
    where: "Only documents for which this holds, then or now, as 'status == paid'. Several hold together."
  )
  var filters: [String] = []

  @OptionGroup var zone: ZoneOptions

  @Option(
    help:
      "Leave documents alone that were changed or created after this moment, and list them (findings.csv).",
    as: TypedValue.moment
  )
  var keepChangedSince: Timestamp?

  @Option(help: "Only documents updated, deleted or created since; repeat it for two.")
  var only: [RestoreJob.Accident] = []

  @Option(help: "Write nothing if more documents than this would be deleted.", from: 0)
  var maxDelete: Int?

  @OptionGroup var trial: DryRunOption

  @Option(
    name: .shortAndLong,
    help: "Write the plan to a file, for 'migrate apply --plan', too.",
    as: TypedValue.file
  )
  var output: String?

  @OptionGroup var page: PageOptions
  @OptionGroup(title: "How it reads") var reading: ReadingOptions
  @OptionGroup var common: WritingOptions

  func validate() throws {
    try CollectionArguments.assertOne(of: names, all: all)
    for name in names { try Self.validate(name) }
    if (at == nil) == from.isEmpty {
      throw ValidationError("Say what is wanted: --at with a moment, or --from with a backup.")
    }
    if at != nil, source != nil || scope == .partial {
      throw ValidationError("--source and --scope are about the files of --from.")
    }
    if from.count > 1, from.contains(where: { $0.hasPrefix(DatabaseEnvironment.mirrorPrefix) }) {
      throw ValidationError("--from: a mirror is one place by itself.")
    }
    if !filters.isEmpty, names.contains(where: { DocumentPath($0) != nil }) {
      throw ValidationError("--where selects documents of collections: name these.")
    }
    try FilterArguments.validate(filters, for: all ? nil : names)
    if common.summary.isJSON, output == "-" {
      throw ValidationError("--json and -o - both write to standard output.")
    }
  }

  private static func validate(_ name: String) throws {
    if DocumentPath(name) != nil {
      _ = try TypedValue.document(name)
    } else {
      try CollectionArguments.validate([name])
    }
    if name.hasPrefix(CollectionSelection.ownPrefix) {
      throw ValidationError("'\(name)' is gymmigrate's own.")
    }
  }

  /// Returns the time in `--from ENV@TIME` if that is the restored database itself; nil for files and mirrors.
  ///
  /// - Throws: `ValidationError` for any other environment.
  private func ownMoment(_ connection: ConnectionSettings) throws -> Timestamp? {
    let target = EnvironmentResolver(connection)
    let known = try target.configuration().environments.map(\.name)
    for text in from {
      guard let place = try EnvironmentMoment(text, among: known, of: "--from"), !place.isMirror else {
        continue
      }
      if from.count == 1, let moment = place.moment {
        let named = try EnvironmentResolver(connection.beside(place.name)).environment()
        if try named.isSameDatabase(as: target.environment()) { return moment }
      }
      throw ValidationError(
        "--from: '\(text)' is an environment: 'copy' copies it; --at goes back in this one."
      )
    }
    return nil
  }

  func jobRun() throws -> JobRun {
    var job = RestoreJob(names)
    (job.moment, job.sources) = (at?.flooredToMicroseconds, from)
    (job.sourceDatabase, job.isPartial) = (source, scope == .partial)
    job.subcollections = subcollections && filters.isEmpty
    (job.query.filters, job.query.timeZone) = (filters, zone.timeZone)
    (job.keepsChangedSince, job.only) = (keepChangedSince, only)
    (job.maximumDeletes, job.reading, job.output) = (maxDelete, reading.settings, output)
    (job.plan.isDryRun, job.plan.html) = (trial.dryRun, page.html)
    var run = common.jobRun(job)
    if let moment = try ownMoment(run.connection) {
      (job.moment, job.sources) = (moment.flooredToMicroseconds, [])
      run.job = job
    }
    if let mirror = from.first, mirror.hasPrefix(DatabaseEnvironment.mirrorPrefix) {
      run.source = run.connection.beside(mirror)
    }
    return run
  }
}

extension RestoreJob.Accident: ExpressibleByArgument {}
