import Configuration
import Logging

struct ManagedExport: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Have Firestore export collections to a bucket.",
    discussion: """
      Starts the export and prints the operation's name; with --wait, shows its progress and ends as it ends. \
      Stopping the command does not stop the export.

      Collections are named by IDs, at most 100, each at any depth; subcollections are named themselves. An export of \
      named collections can be imported in part, one of --all only as a whole.

      Without --snapshot-time, documents that change meanwhile are exported in their old or new state. A time needs \
      point-in-time recovery, unless it is within the past hour.

        gymmigrate managed export --all -e prod --to gs://backups/2026-01-31 \\
            --snapshot-time 2026-01-31T03:00:00Z
        gymmigrate managed export users members -e prod --to gs://backups/people \\
            --wait --timeout 2h
      """
  )

  @Argument(help: "IDs of collections, as users or items.")
  var collections: [String] = []

  @Flag(help: "Export all collections.")
  var all = false

  @Option(
    help: "Where to, as gs://BUCKET/PREFIX; of a bucket alone, the prefix is the time.",
    as: TypedValue.bucketPrefix
  )
  var to: BucketPrefix

  @Option(
    help: "Export the documents as they were at this time, a whole minute: 2026-01-31T03:00:00Z.",
    as: Self.wholeMinute
  )
  var snapshotTime: Timestamp?

  @OptionGroup var waiting: WaitOptions
  @OptionGroup var common: SummaryOptions

  func validate() throws {
    try CollectionArguments.assertOne(of: collections, all: all)
    if let defect = ManagedRequest.defect(of: collections) { throw ValidationError("\(defect).") }
  }

  func run() async throws {
    let request = ManagedRequest(
      .exportDocuments,
      to.named(Self.name(at: .now)),
      collections: collections,
      snapshotTime: snapshotTime
    )
    let (work, waiting) = (ManagedWork(common), waiting)
    try Guard.assertMayLeave(EnvironmentResolver(common.connection).environment(), isMasked: false)
    try await work.command("export").perform { session, _ in
      try ManagedWork.assertDatabase(session, isBilled: true)
      session.logger.notice(
        "Exporting \(work.what(request)) of \(session.environment.name) to \(request.prefix), as \(session.database.connection.signer). The service bills a read per document."
      )
      return try await work.start(request, waiting, in: session)
    }
  }

  /// The name of an export in a bucket: the time, and random digits that distinguish exports of the same second.
  private static func name(at time: Timestamp) -> String {
    let second = Timestamp(seconds: time.seconds) ?? time
    return "\(second)_\(Int.random(in: 10_000...99_999))"
  }

  private static let wholeMinute = ValueReader(
    "time",
    expecting: "a whole minute with an offset, as 2026-01-31T03:00:00Z"
  ) { text in
    Timestamp(text).flatMap { $0.seconds % 60 == 0 && $0.nanoseconds == 0 ? $0 : nil }
  }
}
