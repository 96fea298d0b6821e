import MigrationEngine
import Platform

struct MigrateNew: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "new",
    abstract: "Write the file of a new migration into the folder.",
    discussion: """
      Its name begins with the time in UTC, as 20261125-1200-add-locale.yaml, so it comes last. It is an error until it is complete. With --like it does what a 'gymmigrate fix' does:

        gymmigrate migrate new add-locale
        gymmigrate migrate new digits --like fix members --all-documents \\
            --digits phone
      """
  )

  @Argument(help: "The name: small letters, digits and hyphens.") var name: String
  @OptionGroup var files: ConfigurationOptions
  @Flag(help: "Print JSON instead of lines.") var json = false

  @Option(parsing: .remaining, help: "A 'fix' with its options; comes last.", as: TypedValue.text("fix …"))
  var like: [String] = []

  func validate() throws {
    if !MigrationFile.isID(name) {
      throw ValidationError("'\(name)' is no name: give up to 100 small letters, digits and hyphens.")
    }
    if let first = like.first, !first.isIdentical(to: "fix") {
      throw ValidationError("--like takes a 'fix': --like fix COLLECTION --where …")
    }
  }

  func run() async throws {
    var connection = ConnectionSettings()
    connection.files = files.choice
    let folder = try MigrationFolder.path(for: connection)
    let file = "\(folder)/\(Self.time(after: FilePaths.names(in: folder)))-\(name).yaml"
    let isNew = !FileCheck.isFolder(folder)
    // What is pending so far, without the folder.
    let hidden = try FileCheck.isMissing(folder) ? MigrationFolder.find(for: connection)?.migrations : nil
    // The files of a program are named from the folder.
    if isNew, mkdir(folder, 0o755) != 0 { throw Failure.cannotWrite(folder, errno: errno) }
    let draft: MigrationDraft
    do {
      draft = try self.draft(connection, of: file)
    } catch {
      if isNew { rmdir(folder) }
      throw error
    }
    for hint in draft.body?.misspeltNames ?? [] { Terminal.standardError.line("warning: \(hint)") }
    for text in draft.body?.scope.filters.flatMap(\.omissions) ?? [] { Terminal.standardError.line(text) }
    if FileCheck.exists(file) { throw Failure.cannotWrite(file, "it exists already") }
    try OutputFile.write(Array(draft.text.utf8), to: file)
    if let last = Self.last(of: folder, behind: file) {
      Terminal.standardError.line(
        "warning: \(FilePaths.name(of: file)) comes before \(last) by its name, in which order they are applied. Rename one of them."
      )
    }
    if let hidden, !hidden.isEmpty { Terminal.standardError.line(Self.remark(on: hidden, folder)) }
    if !json { return try StandardOutput.write("\(file)\n") }
    try StandardOutput.writeObject { json in
      json.member("command", "migrate new")
      json.member("file", file)
    }
  }

  /// Returns the last migration of a folder by name, unless it is the file itself.
  private static func last(of folder: String, behind file: String) -> String? {
    let names = FilePaths.names(in: folder).filter(MigrationFile.isFile)
    let last = names.max { $0.compareUTF8($1) < 0 }
    return last.flatMap { $0.isIdentical(to: FilePaths.name(of: file)) ? nil : $0 }
  }

  /// The current minute, such as `20261125-1200`, or the next one that the folder does not have yet, so that names sort in the
  /// order of creation.
  static func time(after names: [String], _ now: Timestamp = .now) -> String {
    var moment = now
    let taken = Set(names.map { $0.prefix(13) })
    while taken.contains(Substring(minute(of: moment))), let next = Timestamp(seconds: moment.seconds + 60) {
      moment = next
    }
    return minute(of: moment)
  }

  private static func minute(of moment: Timestamp) -> String {
    let text = moment.description.prefix(16).filter { $0 != "-" && $0 != ":" }
    return text.replacing("T", with: "-")
  }

  /// Returns a remark on what the new folder replaces.
  private static func remark(on hidden: [FolderMigration], _ folder: String) -> String {
    let names = hidden.map(\.name).joined(separator: ", ")
    return
      "From now on \(folder) says what is pending, and no more what comes along: \(names). To keep one, place it there by a file with 'uses: \(hidden[0].id)' (docs/promoting.md)."
  }

  private func draft(_ connection: ConnectionSettings, of file: String) throws -> MigrationDraft {
    var draft = MigrationDraft(id: name)
    guard !like.isEmpty else { return draft }
    let fix = try FixCommand.parse(Array(like.dropFirst()))
    if fix.query.settings.timeZone != nil {
      throw ValidationError("--like: leave out --time-zone: days of a file begin in the schema's zone.")
    }
    let schema = try EnvironmentResolver(connection).schema()
    let context = try LiteralContext(MigrationDraft.database, schema, in: nil)
    let steps = try fix.steps.settings.steps(in: context).map { step in
      guard let program = step.program else { return step }
      return .run(try program.named(from: FilePaths.folder(of: file)))
    }
    var body = DeclarativeMigration(
      id: name,
      summary: "Changes fields of \(fix.collection).",
      scope: try OneOffArguments.scope(of: fix.collection, fix.query.settings, in: context.database, schema),
      steps: steps,
      touch: fix.steps.touch,
      schema: schema
    )
    body.allowsImmutable = fix.immutability.allowImmutable
    body.allowsSchemaBreaks = fix.allowSchemaBreaks
    (draft.body, draft.filters) = (body, fix.query.filters)
    if let cause = draft.defect(at: file, in: context) {
      throw ValidationError("--like: a file does not say what this 'fix' does: \(cause).")
    }
    return draft
  }
}
