import Configuration
import Integrity
import Logging
import MigrationEngine
import Schema
import Shards

/// `gymmigrate check`: checks data against its schema.
struct CheckCommand: JobCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Check data against its schema; nothing is written.",
    discussion: """
      Reads each collection of the schema once, and reports where documents break its rules (docs/check.md), and \
      documents that an application cannot read or does not see. Prints the number of findings of each rule and some \
      examples; all are in findings.csv of the run's folder, and in the file of --output. Ends in 1 when there are any.

        gymmigrate check -e stage
        gymmigrate check -e prod -o findings.csv
        gymmigrate check -e prod --rule foreign-key-dangling --rule link-not-mirrored
        gymmigrate check --from backup/

      --json prints one object instead: "findings", "rules" with their numbers, then the summary.
      """
  )

  @Argument(
    help:
      "Only findings about documents of these collections, patterns among them (default: all); what they point at is read, too."
  )
  var collections: [String] = []

  @OptionGroup var emptiness: EmptinessOptions

  @Option(
    name: .customLong("rule"),
    help: "Check this rule; repeat it for several (default: all).",
    as: TypedValue.text("name")
  )
  var names: [String] = []

  @Flag(
    help:
      "Check only the rules that each document obeys or breaks by itself; such a check can be divided among machines ('shard plan')."
  )
  var perDocument = false

  @Flag(help: "List the rules and end; with --json as an array; with --per-document only those.")
  var listRules = false

  @Option(
    name: .shortAndLong,
    help: "Write every finding to a file: .csv for spreadsheets, .json or .jsonl, also compressed (.gz).",
    as: TypedValue.file
  )
  var output: String?

  @Option(help: ArgumentHelp("How many documents of each rule the table shows.", valueName: "n"), from: 0)
  var examples = 3

  @OptionGroup(title: "How it reads") var reading: ReadingOptions

  @OptionGroup var moment: MomentOptions
  @OptionGroup var snapshot: SnapshotOptions

  @OptionGroup var common: SummaryOptions

  func validate() throws {
    try CollectionArguments.validate(collections)
    try snapshot.validate(common.connection, moment)
    if let output, FindingFile.Format(fileName: output) == nil {
      throw ValidationError(
        "--output: '\(output)' does not name a format; give a name that ends in .csv, .json or .jsonl."
      )
    }
  }

  func run() async throws {
    if listRules {
      let application = CheckJob.rules(beyond: try EnvironmentResolver(common.connection).schema())
      let own = IntegrityCheck.perDocument(application)
      let listed = IntegrityCheck.rules(application).filter { !perDocument || own.contains($0) }
      return try CheckText.printRules(listed, asJSON: common.isJSON)
    }
    try await jobRun().perform()
  }

  func jobRun() throws -> JobRun {
    var job = CheckJob()
    (job.collections, job.failIfEmpty) = (collections, emptiness.failIfEmpty)
    (job.rules, job.isPerDocument) = (names, perDocument)
    (job.output, job.examples) = (output, examples)
    (job.reading, job.readTime) = (reading.settings, moment.readTime ?? .pinned)
    var run = common.jobRun(job)
    run.connection = snapshot.connection(common.connection)
    return run
  }
}

extension CheckJob: DivisibleJob {
  func perform(as run: JobRun) async throws -> RunEnding {
    let check = try check(run.connection)
    // Whether the output can be written is checked before anything is read.
    let access = try StorageAccess(for: output.map { [$0] } ?? [], run.connection, counting: run.traffic)
    try access.files.assertWritable(output)
    var findings = CheckOutput(check, examples: examples, asJSON: run.output.json)
    var command = CommandRun(run)
    // With `--json` the summary is part of the object that contains the findings.
    command.printing = { try findings.end($0) }
    return try await command.perform { session, folder in
      let moment = try await session.moment(run.part?.readTime ?? readTime)
      let named = named(by: check).map { CollectionScope(pathOrPattern: $0).read(at: moment) }
      try await session.prepare(named, isAll: false, failIfEmpty: failIfEmpty)
      var integrity = IntegrityRun(in: session.context(folder))
      integrity.pageSize = reading.pageSize
      integrity.parallel = reading.parallel
      integrity.readTime = moment
      integrity.part = run.part?.read(of: check)
      let list = LineList(spreadsheet: folder.file("findings.csv"), columns: IntegrityFinding.cellNames)
      // 'shard finish --json' prints those of all parts.
      let lines = run.part.map { _ in LineList(folder.file(Self.partList)) }
      let file = try output.map {
        try FindingFile($0, FindingFile.Format(fileName: $0) ?? .jsonl, via: access.files)
      }
      try await integrity.check(check) { finding in
        try list.append(finding.row)
        try lines?.append(finding.line)
        try file?.append(finding)
        try findings.append(finding)
      }
      try file?.finish()
      if run.part == nil {
        if findings.isEmpty { session.logger.notice("Every rule holds.") }
        await session.warnOfEmpty(named.filter { session.counts[$0.collection].read == 0 })
      }
      var ending = CommandResult(status: findings.isEmpty ? .done : .differences, readTime: moment)
      ending.lists = output.map { [$0] } ?? (findings.isEmpty ? [] : [list.path])
      ending.findings = findings.counts
      return ending
    }
  }

  /// Returns the check that the options select.
  ///
  /// - Throws: `ValidationError` for unknown rules and collections; `.usage`, `.configuration`.
  func check(_ connection: ConnectionSettings) throws -> IntegrityCheck {
    let resolver = EnvironmentResolver(connection)
    // An environment that does not exist explains a missing schema.
    _ = try resolver.named()
    let schema = try resolver.schema()
    let application = Self.rules(beyond: schema)
    let known = IntegrityCheck.rules(application)
    try assertKnown(known, schema)
    let environment = try resolver.environment()
    let buckets = try resolver.configuration().buckets(of: environment)
    if buckets == nil, rules.contains(where: { $0.isIdentical(to: IntegrityRule.foreignBucket.name) }) {
      throw Failure(
        .configuration,
        "check",
        path: IntegrityRule.foreignBucket.name,
        cause: "the environment has no storageBucket",
        remedy: "Name its bucket in gymmigrate.yaml (docs/environments.md)."
      )
    }
    let own = IntegrityCheck.perDocument(application)
    let named = known.filter { rule in rules.contains { $0.isIdentical(to: rule.name) } }
    if isPerDocument, let rule = named.first(where: { !own.contains($0) }) {
      throw ValidationError("--per-document: '\(rule.name)' compares documents; leave one of the two out.")
    }
    let check = IntegrityCheck(
      of: schema,
      application: application,
      rules: rules.isEmpty ? (isPerDocument ? own : nil) : Set(named),
      judged: collections.isEmpty ? nil : Set(Self.judged(collections, schema)),
      buckets: buckets,
      database: environment.database
    )
    try assertApplicable(check)
    return check
  }

  /// Returns the rules of the application to which the data belong.
  fileprivate static func rules(beyond schema: DatabaseSchema) -> (any ApplicationRules)? {
    Invocation.current.application(of: schema)?.rules
  }

  /// Refuses unknown names of rules.
  private func assertKnown(_ known: [IntegrityRule], _ schema: DatabaseSchema) throws {
    try schema.assertDeclared(to: "check", cause: "there is no schema to check by")
    for name in rules where !known.contains(where: { $0.name.isIdentical(to: name) }) {
      let near = name.nearest(of: known.map(\.name)).map { " Did you mean '\($0)'?" } ?? ""
      throw ValidationError(
        "--rule: '\(name)' is no rule; 'gymmigrate check --list-rules' lists them.\(near)"
      )
    }
  }

  /// Refuses named rules that are about none of the named collections, and named collections that no rule is about.
  private func assertApplicable(_ check: IntegrityCheck) throws {
    guard let judged = check.judged else { return }
    for rule in rules.isEmpty ? [] : check.rules where judged.isDisjoint(with: check.subjects(of: rule)) {
      let subjects = check.subjects(of: rule).map(\.string).joined(separator: ", ")
      let advice =
        subjects.isEmpty ? "no collection of the schema" : "\(subjects); name one of them, or no collection"
      throw ValidationError("--rule: '\(rule.name)' is about \(advice).")
    }
    let subjects = Set(check.rules.flatMap(check.subjects))
    let declared = check.schema.collections.map(\.pattern).filter(subjects.contains).map(\.string)
    for name in collections where subjects.isDisjoint(with: Self.judged([name], check.schema)) {
      let near = name.nearest(of: declared).map { " Did you mean '\($0)'?" } ?? ""
      let known = declared.isEmpty ? "no collection" : declared.joined(separator: ", ")
      let (rule, there) = rules.isEmpty ? ("rule", "there are rules") : ("named rule", "they are")
      throw ValidationError("No \(rule) is about '\(name)'; \(there) about \(known).\(near)")
    }
  }

  /// Returns the collections that the names select and that rules of the check are about.
  private func named(by check: IntegrityCheck) -> [CollectionPath] {
    let subjects = Set(check.rules.flatMap(check.subjects))
    return Self.judged(collections, check.schema).filter(subjects.contains)
  }

  /// Returns the declared collections that names and patterns select.
  private static func judged(_ names: [String], _ schema: DatabaseSchema) -> [CollectionPath] {
    schema.collections.map(\.pattern).filter { collection in
      names.contains { name in
        CollectionPath(name)?.pattern == collection || CollectionSelection.name(name, means: collection)
      }
    }
  }

  // MARK: Parts

  func assertDivisible(_ run: JobRun) throws {
    if output != nil { throw refusal(ofOutput: "--output") }
    try assertOneMoment(readTime)
    let check = try check(run.connection)
    let own = IntegrityCheck.perDocument(Self.rules(beyond: check.schema))
    if let rule = check.rules.first(where: { !own.contains($0) }) {
      throw refusal(
        of: "--rule \(rule.name)",
        "it compares documents, and each task reads a part of them",
        "Add --per-document for all rules that can be divided, and check the others with one process."
      )
    }
  }

  func division(in session: Session, as run: JobRun) async throws -> ShardDivision {
    let check = try check(run.connection)
    await session.warnOfUnread(
      named(by: check).map { CollectionScope(pathOrPattern: $0).read(at: nil) }
    )
    return ShardDivision(reads: check.reads, readTime: readTime)
  }

  /// The list of a part's findings, as JSON.
  static let partList = "findings.jsonl"

  /// Returns the report of a divided check.
  ///
  /// - Parameter counts: The number of findings of each rule that has any.
  func report(of counts: [String: Int], _ connection: ConnectionSettings) throws -> IntegrityReport {
    var report = IntegrityReport(rules: try check(connection).rules)
    for rule in report.rules { report.add(counts[rule.name] ?? 0, of: rule) }
    return report
  }
}

extension ShardPart {
  /// Returns the range to read, with the fields that a check examines.
  fileprivate func read(of check: IntegrityCheck) -> CollectionRead? {
    guard let number = range.read, check.reads.indices.contains(number) else { return nil }
    var read = check.reads[number]
    read.range = range.names
    return read
  }
}
