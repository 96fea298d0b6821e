import Configuration
import Mirror
import Schema
import Transfer

struct MirrorPullCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pull",
    abstract: "Make a mirror of a database, or bring one up to date.",
    discussion: """
      The first pull reads everything; the next ones what changed since, by the schema's update-time, and what was \
      deleted, \
      by counting ranges of names (a read for 1,000 documents). Collections without such a time, and subcollections, are \
      read whole. A pull shows one moment, and is in the file as a whole or not at all. --full finds what another program changed without that time.

        gymmigrate mirror pull -e prod -o prod.sqlite
        gymmigrate mirror pull -e prod -o prod.sqlite --full
      """
  )

  @Option(name: .shortAndLong, localFile: "The file (default: mirror-ENV.sqlite in the state folder).")
  var output: String?

  @Flag(help: "Read everything again, and rebuild the tables.")
  var full = false

  @Flag(
    help:
      "Count by ranges of 1,000 names instead of 10,000: as many reads and ten times as many requests, and finds deletions that hide behind as many creations by others."
  )
  var thorough = false

  @Flag(help: "Drop edits of the mirror that were not pushed.")
  var discardEdits = false

  @Option(
    help: "How much earlier than the last pull a change may bear its time, for clocks and late commits.",
    allowsZero: true
  )
  var overlap = Duration.seconds(600)

  @OptionGroup var masking: MaskOptions
  @OptionGroup var common: SummaryOptions

  func validate() throws { try masking.validate([], without: []) }

  func run() async throws {
    let environment = try EnvironmentResolver(common.connection).environment()
    try Guard.assertNoMirror(environment)
    try Guard.assertMayLeave(environment, isMasked: masking.mask)
    let path = output ?? "\(common.connection.stateDir)/mirror-\(Self.fileName(environment.name)).sqlite"
    if output == nil { try RunDirectory.makeDirectory(common.connection.stateDir) }
    try OutputFile.checkWritable(path, isDatabase: true)
    if path == "-" {
      throw Failure(.usage, "write the mirror", path: path, cause: "a mirror is a file, not standard output")
    }
    var options = MirrorPull.Options()
    (options.isFull, options.isThorough) = (full, thorough)
    options.discardsEdits = discardEdits
    options.mask = try masking.settings().map {
      try PulledMask($0, EnvironmentResolver(common.connection).schema())
    }
    options.overlap = Int64(overlap.inSeconds.rounded(.up))
    var command = common.command("mirror pull")
    command.connection.hidesNames = masking.hidesNames
    try await command.performWithoutRun { [options] session in
      session.progress.begin("pull", total: nil)
      defer { session.progress.end() }
      let report = try await MirrorPull(in: session, to: path, options).run()
      session.progress.end()
      if !common.isJSON, !common.logging.verbosity.quiet {
        try StandardOutput.write(MirrorText.pulled(report, path))
      }
      return CommandResult(readTime: report.readTime)
    }
  }

  /// An environment's name as part of a file name.
  private static func fileName(_ name: String) -> String {
    let plain = name.utf8.map { byte in
      byte.isASCIILetterOrDigit || "_.-".utf8.contains(byte) ? byte : UInt8(ascii: "-")
    }
    return String(decoding: plain, as: UTF8.self)
  }
}

extension PulledMask {
  /// Creates the mask of a job for a schema.
  ///
  /// - Throws: As ``MaskSettings/mask(by:)``.
  init(_ settings: MaskSettings, _ schema: DatabaseSchema) throws(Failure) {
    let mask = try settings.mask(by: schema)
    self.init(
      fingerprint: settings.fingerprint,
      assertCovers: { roots throws(Failure) in try mask.assertCovers(roots) },
      masked: { documents in try await mask.masked(documents) }
    )
  }
}

extension MirrorPull {
  /// Creates a pull of the database of a session.
  init(in session: Session, to path: String, _ options: Options) {
    let views = Invocation.current.application(of: session.schema)?.views ?? []
    self.init(in: session.database, to: path, options, views: views)
  }
}
