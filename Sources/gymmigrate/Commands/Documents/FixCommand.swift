import Configuration
import MigrationEngine
import Schema

/// `gymmigrate fix`: changes fields once, without a migration file.
struct FixCommand: JobCommand {
  static let configuration = CommandConfiguration(
    commandName: "fix",
    abstract: "Change fields of the documents for which a filter holds.",
    discussion: """
      A one-off migration from flags. Plan it first (-n). Steps are done in this order, whatever the order of the \
      flags: rename, copy, convert, trim, lower, digits, set-if-missing, set, unset. A document for which one of \
      them fails is left unchanged and listed. Values are literals: true, null, 7, 1.5, "007", \
      ts(2026-01-31T12:00:00Z), ref(users/u1); anything else is text. For anything more, write a YAML file for \
      'migrate apply' (docs/fix.md).

        gymmigrate fix orders --where 'status == payed' --set status=paid -e stage -n
        gymmigrate fix users --all-documents --digits phone -e stage
        gymmigrate fix users --where 'phone > 0' --convert phone=string -e stage
      """
  )

  @Argument(help: "The path of the collection, as users; or a pattern, as 'log*' or 'orders/*/items'.")
  var collection: String

  @OptionGroup(title: "Which documents") var query: QueryOptions

  @Flag(help: "Every document of the collection; a fix requires this or --where.")
  var allDocuments = false

  @OptionGroup(title: "Steps") var steps: StepOptions
  @OptionGroup var programs: ProgramOptions

  @Option(help: ArgumentHelp("Let a program delete documents, at most so many.", valueName: "n"), from: 0)
  var maxDelete: Int?

  @OptionGroup var immutability: ImmutabilityOptions

  @Flag(help: "Write documents, too, that break the schema more than before; otherwise they are rejected.")
  var allowSchemaBreaks = false

  @OptionGroup(title: "Plan first") var plan: PlanOptions
  @OptionGroup var common: WritingOptions

  func validate() throws {
    if steps.run == nil, maxDelete != nil { throw ValidationError("--max-delete goes with --run.") }
    try OneOffArguments.validate(
      collection,
      query,
      allDocuments: allDocuments,
      wants: "Give --where, or --all-documents for every document of the collection."
    )
  }

  func jobRun() -> JobRun {
    var job = FixJob(collection, query.settings, steps.settings)
    (job.allowsImmutable, job.allowsSchemaBreaks) = (immutability.allowImmutable, allowSchemaBreaks)
    if steps.run != nil { (job.programs, job.maximumDeletes) = (programs.settings, maxDelete) }
    job.plan = plan.settings
    return common.jobRun(job)
  }
}

extension FixJob: PerformableJob {
  func perform(as run: JobRun) async throws -> RunEnding {
    let resolver = EnvironmentResolver(run.connection)
    let (database, schema) = (try resolver.environment().database, try resolver.schema())
    var migration = DeclarativeMigration(
      id: "fix",
      summary: "Changes fields of \(collection).",
      scope: try OneOffArguments.scope(of: collection, query, in: database, schema),
      steps: try steps.steps(in: LiteralContext(database, schema, in: query.timeZone)),
      touch: steps.touch,
      schema: schema
    )
    migration.allowsImmutable = allowsImmutable
    migration.allowsSchemaBreaks = allowsSchemaBreaks
    migration.programs = programs ?? ProgramSettings()
    migration.checksum = migration.program?.checksum
    if let problem = migration.problem { throw ValidationError("\(problem.cause).") }
    var oneOff = OneOffRun(run: run, plan: plan, failIfEmpty: query.failIfEmpty)
    oneOff.maximumDeletes = maximumDeletes
    return try await oneOff.perform(migration) { [migration] session in
      session.warnOfFields(inStepsOf: migration)
    }
  }
}

/// What the command lines of `fix` and `delete` have in common.
enum OneOffArguments {
  /// Refuses a name that is not a collection, and a missing selection of documents unless `wants` is nil.
  static func validate(_ collection: String, _ query: QueryOptions, allDocuments: Bool, wants: String?) throws
  {
    try CollectionArguments.validate([collection], all: false, query)
    guard let path = CollectionPath(collection) else { return }
    if let problem = DeclarativeMigration.problem(of: path, isGroup: query.group) {
      throw ValidationError("\(problem).")
    }
    if allDocuments, !query.filters.isEmpty {
      throw ValidationError("Give --where or --all-documents, not both.")
    }
    if let wants, query.filters.isEmpty, !allDocuments { throw ValidationError(wants) }
  }

  /// Returns the scope of the documents that match the filters.
  static func scope(
    of collection: String,
    _ query: QuerySettings,
    in database: DatabaseName,
    _ schema: DatabaseSchema
  ) throws -> DeclarativeMigration.Scope {
    guard let path = CollectionPath(collection) else {
      let cause = "it is not the path of a collection"
      throw Failure(.usage, "use the collection", path: collection, cause: cause)
    }
    let filter = try query.filter(in: database, schema)
    return DeclarativeMigration.Scope(path, isGroup: query.group, filters: filter.map { [$0] } ?? [])
  }
}
