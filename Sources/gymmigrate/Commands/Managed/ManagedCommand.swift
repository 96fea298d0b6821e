/// `gymmigrate managed`: exports and imports performed by Firestore itself.
struct ManagedCommand: AsyncParsableCommand {
  /// The prefix of its commands' names in records of runs.
  static let prefix = "managed "

  static let configuration = CommandConfiguration(
    commandName: "managed",
    abstract: "Have Firestore itself export to and import from Cloud Storage.",
    discussion: """
      Drives Firestore's managed export and import: the service copies documents to and from a bucket, and nothing \
      passes through this machine. It is for databases that are too large for 'gymmigrate export' ('gymmigrate \
      doctor' says when).

      The signer needs roles/datastore.importExportAdmin, and Firestore's service agent access to the bucket.

        gymmigrate managed export --all -e prod --to gs://backups/2026-01-31 --wait
        gymmigrate managed list -e prod
        gymmigrate managed import --from gs://backups/2026-01-31 -e stage --wait
      """,
    subcommands: [
      ManagedExport.self, ManagedImport.self, ManagedStatus.self, ManagedCancel.self, ManagedList.self,
      ManagedBackups.self,
    ]
  )
}

/// Whether and how long to wait for an operation to end.
struct WaitOptions: ParsableArguments {
  @Flag(help: "Wait for the end of the operation, and show its progress.")
  var wait = false

  @Option(
    parsing: .unconditional,
    help:
      "With --wait, the longest wait: 90s, 5m or 1h; exit code 75 when the operation is still running then.",
    as: TypedValue.duration
  )
  var timeout: Duration?

  func validate() throws {
    if timeout != nil, !wait { throw ValidationError("--timeout limits the wait of --wait: give both.") }
  }
}

/// The operation to which a command applies.
struct OperationArgument: ParsableArguments {
  @Argument(help: "The name of an operation, or its last part, as 'gymmigrate managed list' prints it.")
  var operation: String
}

extension TypedValue {
  /// Parses a Cloud Storage prefix.
  ///
  /// - Throws: `ValidationError` that says what is expected.
  static let bucketPrefix = ValueReader(
    "uri",
    expecting: "\(BucketPrefix.form), with the name of a bucket of Cloud Storage"
  ) { BucketPrefix(parsing: $0) }
}
