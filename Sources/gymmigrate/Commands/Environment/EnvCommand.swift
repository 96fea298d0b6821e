import Configuration

/// `gymmigrate env`: shows and manages environments.
struct EnvCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "env",
    abstract: "Show the environments that are known.",
    subcommands: [EnvList.self, EnvShow.self, EnvInit.self, EnvReset.self, EnvSeed.self],
    defaultSubcommand: EnvList.self
  )
}

struct EnvList: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List the environments, one per line.",
    discussion:
      "The columns are name, project, database, endpoint, 'protected' where a write requires --confirm, 'leaves masked', and another environment with the same database, which guards it too."
  )

  @OptionGroup var connection: ConnectionOptions
  @Flag(help: "Print JSON instead of lines.") var json = false

  func run() async throws {
    let known = try EnvironmentResolver(connection).environments()
    if json {
      return try StandardOutput.writeArray(of: known) { json, known in
        known.environment.write(to: &json)
        json.member("sameDatabaseAs", known.same)
      }
    }
    for (environment, same) in known {
      var fields = [
        environment.name, environment.database.project, environment.database.database,
        environment.server,
        environment.isProtected ? "protected" : "",
        environment.leavesMasked ? "leaves masked" : "",
        same.map { "same database as \($0)" } ?? "",
      ]
      while fields.last?.isEmpty ?? false { fields.removeLast() }
      try StandardOutput.write(cells: fields)
    }
  }
}

struct EnvShow: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Show how an environment is resolved, and which credentials sign.",
    discussion: """
      Nothing is sent. Secrets are never shown. With --origin, prints one line per setting: its name, its value, and where it comes from (an option, a variable, the file, or built in), separated by tabs.
      """
  )

  @OptionGroup var connection: ConnectionOptions
  @Flag(help: "Show every setting and where its value is from.") var origin = false
  @Flag(help: "Print JSON instead of lines.") var json = false

  func run() async throws {
    let resolver = EnvironmentResolver(connection)
    let environment = try resolver.environment()
    let signer = try resolver.signer(for: environment)
    let file = try resolver.configuration().file
    let settings = origin ? try SettingOrigin.all(environment, resolver, signer: signer) : []
    if origin, !json {
      let lines = settings.map { TerminalText("\($0.name)\t\($0.value)\t\($0.origin)\n") }
      try StandardOutput.write(lines.joined())
      return
    }
    if json {
      return try StandardOutput.writeObject {
        environment.write(to: &$0)
        $0.member("signer", signer)
        if origin { $0.member("settings", objects: settings) { $1.writeMembers(to: &$0) } }
      }
    }
    let lines: [TerminalText] = [
      "name: \(environment.name)", "project: \(environment.database.project)",
      "database: \(environment.database.database)",
      "endpoint: \(environment.server)",
      "protected: \(environment.isProtected ? "yes" : "no")", "signer: \(signer)",
      "leaves: \(environment.leavesMasked ? "masked" : "as it is")",
      "storage bucket: \(environment.storageBucket ?? "-")", "configuration: \(file ?? "built in")",
    ]
    try StandardOutput.write("\(lines.joined(separator: "\n"))\n")
  }
}

extension DatabaseEnvironment {
  fileprivate func write(to json: inout JSONWriter) {
    writeMembers(to: &json)
    json.member("protected", isProtected)
    json.member("leavesMasked", leavesMasked)
    json.member("storageBucket", storageBucket)
  }
}
