import Configuration
import YAML

/// `gymmigrate init`: writes the configuration and the schema of one database, and checks whether it is usable.
struct InitCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init",
    abstract: "Write a configuration for a database, check it, infer its schema.",
    discussion: """
      On a terminal it asks for what is not given. It writes gymmigrate.yaml with one environment, checks that as \
      'gymmigrate doctor' does, infers schema.yaml from the first documents of each collection, and says what to do \
      next. It only reads the database, and overwrites no file (73). 'gymmigrate env init' writes an example with \
      every key instead.

        gymmigrate init
        gymmigrate init --project demo --name dev --endpoint http://127.0.0.1:8080 \\
            --no-protected
      """
  )

  @Option(databasePart: "The Google Cloud project.")
  var project: String?

  @Option(databasePart: "The database (default: (default)).")
  var database: String?

  @Option(help: "What the environment is called (default: prod).", as: InitCommand.environmentName)
  var name: String?

  @Flag(inversion: .prefixedNo, help: "Whether writes need --confirm and the name (default: yes).")
  var protected: Bool?

  @Option(localFile: "A credential file (default: Application Default Credentials, as gcloud leaves them).")
  var credentials: String?

  @Option(help: "Scheme, host and port of an emulator, instead of Google's.", as: TypedValue.endpoint)
  var endpoint: String?

  @Option(
    help: ArgumentHelp("Infer the schema from at most this number of documents of each collection."),
    from: 1
  )
  var sample = 1000

  @Flag(help: "Print the checks as a JSON object on standard output, as 'doctor' does.") var json = false

  func run() async throws {
    let another = "For a second environment, add it to 'environments' in \(Self.file)"
    try EnvInit.assertFree(Self.file, remedy: "\(another). To start anew, move the file away.")
    try EnvInit.assertFree(Self.schemaFile, remedy: "Move it away, or run init in another folder.")
    let answers = try Answers(self)
    // An invalid environment name is refused before anything is written.
    _ = try Configuration.builtIn(answers.configuration(schema: "none"), schemas: [])
    try OutputFile.write(Array(answers.configuration(schema: "none").utf8), to: Self.file)
    Terminal.standardError.line("Wrote \(Self.file).")
    let words = ["doctor", "-e", answers.name] + (json ? ["--json"] : [])
    let doctor = try DoctorCommand.parse(Array(words.dropFirst()))
    let findings = await Invocation.$current.withValue(Self.invocation(words)) { await doctor.examined() }
    // What the steps were billed together.
    defer { OutputSettings().reportBill() }
    // The bill in the JSON is that of all steps, too.
    if !json || findings.code != ExitCodes.done { try doctor.write(findings) }
    if findings.code != ExitCodes.done { throw ExitStatus(findings.code) }
    let inferred = await Result<Void, any Error>(awaiting: { try await inferSchema(answers) })
    if json { try doctor.write(findings) }
    try inferred.get()
  }

  /// Infers the schema, and says what to do next.
  private func inferSchema(_ answers: Answers) async throws {
    if try await Self.isEmpty(answers.name) { return Self.showWait(in: answers.name) }
    defer { Self.showNext(in: answers.name) }
    let options = ["--sample", String(sample), "-o", Self.schemaFile, "-e", answers.name, "-q"]
    let infer = try SchemaInfer.parse(options)
    try await Invocation.$current.withValue(Self.invocation(["schema", "infer"] + options)) {
      try await infer.run()
    }
    try OutputFile.write(Array(answers.configuration(schema: Self.schemaFile).utf8), to: Self.file)
    Terminal.standardError.line(
      "Wrote \(Self.schemaFile). Look it over: it says what the documents are today."
    )
  }

  /// Whether an environment has no collections yet.
  private static func isEmpty(_ environment: String) async throws -> Bool {
    var connection = ConnectionSettings()
    connection.environment = environment
    return try await Invocation.$current.withValue(invocation(["init"])) {
      try await connection.withSession(of: "init", OutputSettings()) { session in
        try await session.client.collectionIDs().isEmpty
      }
    }
  }

  /// Prints what to do once there are documents.
  private static func showWait(in environment: String) {
    let infer = SchemaInfer.command(for: environment)
    Terminal.standardError.line("There is no document yet. Once there are some:")
    Terminal.standardError.line("  \(infer)")
    Terminal.standardError.line("Then write 'schema: \(schemaFile)' in \(file), in place of 'schema: none'.")
  }

  private static func showNext(in environment: String) {
    let environment = CommandLineText.quoted(["-e", environment])
    Terminal.standardError.line("Next:")
    for command in ["count --all", "check", "export --all -o backup/ --format jsonl"] {
      Terminal.standardError.line("  gymmigrate \(command) \(environment)")
    }
  }

  /// Validates a name that `--env` can only interpret as an environment.
  ///
  /// - Throws: `ValidationError`.
  static let environmentName = ValueReader(name: "name") { text in
    if text.isIdentical(to: DatabaseEnvironment.localName) {
      throw ValidationError("local is the embedded store, which needs no entry.")
    }
    let isName = text.utf8.allSatisfy { $0.isASCIILetterOrDigit || "-_.".utf8.contains($0) }
    if isName, !text.isEmpty, !text.hasPrefix("-") { return text }
    throw ValidationError(
      "give letters, digits, - _ and . for the name of an environment, which cannot begin with -."
    )
  }

  private static let file = "gymmigrate.yaml"
  private static let schemaFile = "schema.yaml"

  /// Returns an invocation that reads the configuration just written.
  ///
  /// - Parameter words: The command line as if typed, so that the run is recorded under the command's name.
  private static func invocation(_ words: [String]) -> Invocation {
    var invocation = Invocation(of: Gymmigrate.self)
    (invocation.arguments, invocation.traffic) = (CompletedArguments(words), Invocation.current.traffic)
    (invocation.application, invocation.jobs) = (Invocation.current.application, Invocation.current.jobs)
    return invocation
  }
}

/// The values of the configuration, given or typed.
private struct Answers {
  let project: String
  let database: String
  let name: String
  let isProtected: Bool
  let credentials: String?
  let endpoint: String?

  /// - Throws: `.usage` if the project is not known and nobody can be asked.
  init(_ command: InitCommand) throws {
    guard
      let project = try command.project
        ?? Self.typed("The Google Cloud project:").map(TypedValue.databasePart.read)
    else {
      throw Failure(
        .usage,
        "write",
        path: "gymmigrate.yaml",
        cause: "no project was given",
        remedy: "Give --project, and --database, --name, --no-protected or --credentials where they differ."
      )
    }
    self.project = project
    endpoint = command.endpoint
    database =
      try command.database ?? Self.typed("The database [(default)]:").map(TypedValue.databasePart.read)
      ?? "(default)"
    name =
      try command.name ?? Self.typed("The name of this environment [prod]:").map(
        InitCommand.environmentName.read
      )
      ?? "prod"
    isProtected =
      try command.protected
      ?? (Self.typed("Do writes need --confirm and that name? [Y/n]").map(Self.isYes) ?? true)
    credentials =
      try command.credentials
      ?? (command.endpoint == nil
        ? Self.typed("A credential file [Application Default Credentials]:").map(TypedValue.localFile.read)
        : nil)
  }

  private static func isYes(_ answer: String) -> Bool { !["n", "no"].contains(answer.lowercased()) }

  /// Returns what a person types; nil for nothing, and if there is nobody.
  private static func typed(_ question: String) throws(Failure) -> String? {
    guard Guard.canAsk else { return nil }
    Terminal.standardError.line("\(question)")
    guard let line = try TypedLine.read() else { return nil }
    let text = PlainText.trimmed(line)
    return text.isEmpty ? nil : text
  }

  func configuration(schema: String) -> String {
    var lines = [
      "# Every key is explained in docs/environments.md.", "project: \(Self.quoted(project))",
      "schema: \(schema)",
      "environments:", "  \(Self.quoted(name)):", "    database: \(Self.quoted(database))",
    ]
    if let endpoint { lines.append("    endpoint: \(Self.quoted(endpoint))") }
    if let credentials { lines.append("    credentials: \(Self.quoted(credentials))  # Never commit a key.") }
    if isProtected { lines.append("    protected: true  # A write needs --confirm and the name.") }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func quoted(_ text: String) -> String { YAMLText.quoted(text) }
}
