import Configuration
import Mirror

/// `gymmigrate mirror`: a local copy in SQLite, to query instead of the service.
struct MirrorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "mirror",
    abstract: "Keep a local copy of a database in SQLite, and ask that.",
    discussion: """
      A mirror is one SQLite file: a table for each collection, made from the schema, and the exact documents beside \
      them. Any SQL tool opens it, and every command that reads takes it as an environment: '-e mirror:gym.sqlite', \
      or --mirror. A pull reads only what changed since the last one.

        gymmigrate mirror pull -e stage -o stage.sqlite
        gymmigrate mirror status stage.sqlite
        gymmigrate report month 2026-01 --mirror stage.sqlite
        gymmigrate mirror verify stage.sqlite

      Edit its tables with SQL, then look at what a push would write, and push:

        gymmigrate mirror push stage.sqlite -n
        gymmigrate mirror push stage.sqlite
      """,
    subcommands: [MirrorPullCommand.self, MirrorStatusCommand.self, MirrorVerify.self, MirrorPush.self]
  )
}

/// An existing mirror, and where it was pulled from.
struct MirrorArgument: ParsableArguments {
  @Argument(
    help: ArgumentHelp("The mirror, a file of 'mirror pull'.", valueName: "file"),
    transform: TypedValue.localFile.read
  )
  var file: String

  /// Refuses a masked mirror, whose documents are not those of its database.
  ///
  /// - Throws: `.notPermitted`; as ``MirrorInfo``.
  func assertUnmasked() throws(Failure) {
    try MirrorInfo(MirrorFile(file, for: .reading)).assertUnmasked(path: file)
  }

  /// Returns the connection to the mirror's database: the named environment, or else the one from which it was pulled.
  func connection(_ options: ConnectionSettings) throws(Failure) -> ConnectionSettings {
    if options.mirror != nil || options.environment?.hasPrefix(DatabaseEnvironment.mirrorPrefix) ?? false {
      throw Failure(
        .usage,
        "use the mirror",
        path: file,
        cause: "the environment is a mirror, too",
        remedy: "Give -e with the environment that the mirror was pulled from."
      )
    }
    let info = try MirrorInfo(MirrorFile(file, for: .reading))
    var connection = options
    if connection.environment == nil, !connection.namesDatabase {
      // The file knows its database; whether it is on the same server is checked later.
      if info.environment == DatabaseEnvironment.unnamed {
        (connection.project, connection.database) = (info.database.project, info.database.database)
      } else {
        connection.environment = info.environment
      }
    }
    try info.assertOf(EnvironmentResolver(connection).environment(), path: file)
    return connection
  }
}
