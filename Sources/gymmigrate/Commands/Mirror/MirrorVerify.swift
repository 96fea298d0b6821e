import Logging
import Mirror

struct MirrorVerify: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Compare a mirror with its database, document by document.",
    discussion: """
      Prints the numbers and the share of equal documents per collection, with --json the checksums, too. Reads the \
      whole database, at the mirror's own moment while the service still shows it (an hour), else at the present. Exits \
      with 1 where less than 99.9 % of a collection are the same.

        gymmigrate mirror verify prod.sqlite
      """
  )

  @OptionGroup var mirror: MirrorArgument
  @Flag(help: "Print JSON instead of lines.") var json = false
  @OptionGroup var common: PrintingOptions

  func run() async throws {
    try mirror.assertUnmasked()
    let connection = try mirror.connection(common.connection.settings)
    try await common.perform("mirror verify", on: connection) { session in
      let file = try MirrorFile(mirror.file, for: .reading)
      let edits = try file.editCount()
      if edits > 0 {
        session.logger.warning(
          "\(mirror.file) has edits of \(NumberText.counted(edits, "document")) that were not pushed: what was pulled is compared."
        )
      }
      for damage in try file.damages() {
        session.logger.warning("\(mirror.file): \(damage), so edits in it are not known.")
      }
      session.progress.begin("verify", total: nil)
      let found = try await MirrorVerification.run(mirror.file, in: session.database)
      session.progress.end()
      if json {
        try StandardOutput.write(line: MirrorText.json(found))
      } else {
        try StandardOutput.write(MirrorText.verification(found))
      }
      return CommandResult(status: found.suffices ? .done : .differences, readTime: found.readTime)
    }
  }
}
