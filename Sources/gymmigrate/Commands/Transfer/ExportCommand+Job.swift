import Configuration
import Logging
import Schema
import Shards
import Tables
import Transfer

extension ExportJob: DivisibleJob {
  func perform(as run: JobRun) async throws -> RunEnding {
    let resolver = EnvironmentResolver(run.connection)
    let (schema, environment) = (try resolver.schema(), try resolver.environment())
    try Guard.assertMayLeave(environment, isMasked: mask != nil)
    let scope = try scope(by: schema)
    let held = try resolver.scope(scope, of: environment)
    try assertHolds(held)
    guard let format = try exportFormat(schema, of: environment.database, isPart: run.part != nil) else {
      return try await exportSQLite(held, as: run)
    }
    let complete =
      additions.isEmpty ? nil : try Invocation.current.application?.addition(to: self, of: schema)
    let output = run.part?.output ?? output
    let access = try StorageAccess(for: [output], run.connection, counting: run.traffic)
    // Whether the output can be written is checked before anything is read.
    let dated = isDated ? try await scheduledExports(at: output, in: access.storage) : nil
    let destination = try destination(output, format, dated, scope, via: access.files)
    return try await closing(dated) {
      try await CommandRun(run).perform { session, folder in
        let moment = try await session.moment(run.part?.readTime ?? readTime)
        let reads = try await reads(in: session, at: moment)
        var options = Export.Options(reads: reads, destination: destination, format: format)
        options.fields = try fieldPaths()
        options.limit = limit
        options.files = access.files
        options.scope = held
        options.readTime = moment
        options.isPart = run.part != nil
        complete?(&options)
        try addMask(to: &options, in: session)
        if let since = try since.map({ try TypedValue.since.read($0) }) {
          let known = try await DatedExport.narrow(&options, since: since, in: dated, session)
          if isDeep { options.reads += subcollections(of: options, known) }
        }
        return try await write(options, dated, in: session, folder)
      }
    }
  }

  /// Returns where the export goes, which can be written to.
  private func destination(
    _ output: String,
    _ format: ExportFormat,
    _ dated: (any ScheduledExports)?,
    _ scope: Manifest.Scope,
    via files: FileAccess
  ) throws -> ExportDestination {
    // A folder of scheduled exports has already been written to, for its lock.
    if let dated { return .folder(dated.path) }
    let count = namesSeveral || isDeep ? max(2, collections.count) : 1
    let destination = ExportDestination(output: output, format: format, collections: count)
    _ = try ExportOutput(destination, format, via: files)
    switch destination {
    case .file(let file): try files.assertWritable(file)
    case .folder(let folder):
      try Manifest.read(from: folder, via: files)?.assertReplaced(by: scope, selection, in: folder)
    default: break
    }
    return destination
  }

  /// Returns what is read of the collections, and says what is not.
  private func reads(in session: Session, at moment: Timestamp?) async throws -> [CollectionRead] {
    let fields = try fieldPaths()
    let orderBy = try orderBy.map { try StructuredQuery.Order.list(parsing: $0) } ?? []
    var reads = try await session.reads(of: selection, query, at: moment)
    if session.part == nil {
      if !isDeep { session.logger.reportSubcollections(of: reads, session.schema) }
      // The additions of an application have fields of their own.
      let named = additions.isEmpty ? fields ?? [] : []
      session.warnOfUnknown(Set(named + orderBy.map(\.field)), in: reads)
      session.warnOfUndeclared(named, in: reads)
    }
    for index in reads.indices {
      reads[index].mask = fields
      reads[index].orderBy = orderBy
      reading.apply(to: &reads[index])
    }
    return reads
  }

  private func addMask(to options: inout Export.Options, in session: Session) throws {
    guard let mask = try mask?.mask(by: session.schema) else { return }
    try mask.assertCovers(options.reads.map { $0.kind ?? $0.collection })
    options.mask = mask
    session.logger.notice("Masked by the rules of the schema '\(session.schema.name)'.")
  }

  private func write(
    _ options: Export.Options,
    _ dated: (any ScheduledExports)?,
    in session: Session,
    _ folder: RunDirectory
  ) async throws -> CommandResult {
    var ending = CommandResult()
    func export(_ options: Export.Options) async throws -> Timestamp? {
      try await Export(options, in: session.context(folder)).run { ending.columns = $0 }
    }
    guard let dated else {
      ending.readTime = try await export(options)
      return ending
    }
    let scheduled = DatedExport(
      folders: dated,
      files: dated.guarding(options.files),
      retention: retention,
      movesMarks: limit == nil && fields == nil && query.filters.isEmpty && !query.group,
      session: session
    )
    ending.readTime = try await scheduled.run(options, export)
    return ending
  }

  /// Returns the reads of what is below the collections of which only changes are read: entirely, of the known kinds and
  /// those in earlier exports.
  private func subcollections(of options: Export.Options, _ known: [CollectionPath]) -> [CollectionRead] {
    let kinds = Set(known + (options.earlier?.subcollections ?? []))
    let below = options.since.keys.flatMap { kinds.compactMap(CollectionPattern($0).below) }
    return Set(below).sorted().map { kind in
      var read = CollectionRead(kind, mask: options.fields)
      read.reach = .pattern
      reading.apply(to: &read)
      return read
    }
  }

  private func fieldPaths() throws -> [FieldPath]? {
    try fields.map { try TypedValue.fields($0, of: "--fields") }
  }

  // MARK: Parts

  var partExtension: String? { format == .csv ? "csv" : gzip ? "jsonl.gz" : "jsonl" }

  func assertDivisible(_ run: JobRun) throws {
    if !output.isIdentical(to: ShardPart.placeholder) { throw refusal(ofOutput: "--output") }
    if format != .csv, format != .jsonl {
      throw refusal(of: "--format", "only JSON Lines and CSV can be put together from parts")
    }
    try Guard.assertMayLeave(EnvironmentResolver(run.connection).environment(), isMasked: mask != nil)
    if limit != nil { throw refusal(of: "--limit", "no task knows how many documents the others have") }
    if orderBy != nil { throw refusal(of: "--order-by", "the parts are in the order of names") }
    if isDated { throw refusal(of: "--dated", "name the folder with --to") }
    if since != nil { throw refusal(of: "--since", "the marks of increments belong to one process") }
    try assertOneMoment(readTime)
  }

  /// Returns the table formed by the parts of a CSV file; nil for JSON Lines.
  func partsOfTable(_ plan: ShardPlan) throws -> CSVParts? {
    let schema = try EnvironmentResolver(plan.job.connection).schema()
    guard case .csv(let options)? = try exportFormat(schema, isPart: true), let read = plan.reads.first else {
      return nil
    }
    return try CSVParts(of: read.kind ?? read.collection, fields: try fieldPaths(), options: options)
  }

  func division(in session: Session, as run: JobRun) async throws -> ShardDivision {
    let moment = try await session.moment(readTime)
    let reads = try await session.reads(of: selection, query, at: moment)
    try ShardDivision.assertOrderedByName(reads)
    if !selection.names.isEmpty { await session.warnOfUnread(reads) }
    return ShardDivision(reads: reads, hidesNames: mask != nil, readTime: ReadTimeChoice(moment))
  }
}

extension Logger {
  /// Reports what an export omits, if the schema declares subcollections.
  fileprivate func reportSubcollections(of reads: [CollectionRead], _ schema: DatabaseSchema) {
    for read in reads where read.reach == .collection && read.filter == nil {
      let below = schema.collections.map(\.pattern.string).filter {
        $0.utf8.starts(with: "\(read.collection)/".utf8)
      }
      if below.isEmpty { continue }
      notice(
        "\(read.collection) may have subcollections (\(below.joined(separator: ", "))), which are not in this export; --subcollections takes them along."
      )
    }
  }
}
