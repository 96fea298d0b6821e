/// Exported files for a command to read instead of a database.
struct SnapshotOptions: ParsableArguments {
  @Option(
    name: .customLong("from"),
    help: "Read an export, not an environment: a folder or a file; repeat it for increments.",
    as: TypedValue.file.named("path")
  )
  var snapshot: [String] = []

  /// Returns the connection, to the files if any are named.
  func connection(_ options: ConnectionOptions) -> ConnectionSettings {
    var settings = options.settings
    if !snapshot.isEmpty { settings.snapshot = snapshot }
    return settings
  }

  /// Refuses options that only apply to databases.
  func validate(_ options: ConnectionOptions, _ moment: MomentOptions) throws {
    if snapshot.isEmpty { return }
    if options.environment != nil || options.mirror != nil || options.endpoint != nil {
      throw ValidationError("Give --from, or an environment, a mirror or an endpoint, not both.")
    }
    if snapshot.contains("-") {
      throw ValidationError("--from: '-' is standard input, which is read once; give a file or a folder.")
    }
    if case .at = moment.readTime {
      throw ValidationError("--read-time: an export is of one moment; leave it out, or --from.")
    }
  }
}
