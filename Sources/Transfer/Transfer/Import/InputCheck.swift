import Files
import FirestoreREST
import Logging
import Tables

/// Which of several input documents with the same path is imported (`--duplicates`).
package enum DuplicatePolicy: String, Codable, Sendable, CaseIterable {
  /// The one that comes first.
  case first
  /// The one that comes last.
  case last
}

/// The lines and rows that are superseded by another one with the same document; each list can be traversed only once.
struct Superseded {
  let places = PlaceList()
  /// Those that list a document as deleted.
  let deletions = PlaceList()
}

/// The first pass of an import, which reads everything before anything is written.
struct InputCheck {
  let inputs: ImportInputs
  let options: Import.Options
  let context: RunContext
  /// The ids of tables and of plain JSON, complete after reading.
  let numberedIDs = Locked(NumberedIDs())

  private typealias Place = DuplicateSearch.Place

  /// Reads all inputs and reports errors.
  ///
  /// - Returns: The lines and rows that are superseded by another one with the same document.
  /// - Throws: `.inputMalformed` for an error, unless the policy is to skip it, and for a document that occurs twice,
  ///   unless it is determined which one is imported.
  func report() async throws -> Superseded {
    if let flawless = try await flawless() { return try superseded(flawless) }
    let report = ValidationReport(context.folder.file("validation.csv"))
    var search = DuplicateSearch()
    var found = FoundInputs()
    try await read(1, into: &search) { row, stage in
      try look(at: row, of: inputs.source(stage), report)
    } end: { input in
      try conclude(input, &found)
    }
    try report.flush()
    try conclude(found)
    try conclude(report)
    return try superseded(search)
  }

  /// Finds what ``report()`` returned, again, for a run that is resumed or divided.
  func repeated() async throws -> Superseded {
    let isDecided = options.job.duplicates != nil || inputs.indices.contains { inputs.source($0).isIncrement }
    if !isDecided { return Superseded() }
    var search = DuplicateSearch()
    try await read(inputs.width(options.job.parallel), into: &search)
    return try superseded(search)
  }

  /// Reads several inputs at a time; returns nil if there is an error, because errors are reported in the order of the
  /// files.
  private func flawless() async throws -> DuplicateSearch? {
    let width = inputs.width(options.job.parallel)
    if width == 1 { return nil }
    var search = DuplicateSearch()
    var found = FoundInputs()
    var ended: [FoundInput] = []
    do {
      try await read(width, into: &search) { row, _ in
        if let fault = row.faults.first { throw fault.failure }
      } end: { input in
        ended.append(input)
      }
    } catch is Failure {
      return nil
    }
    for input in ended.sorted(by: { $0.stage < $1.stage }) { try conclude(input, &found) }
    try conclude(found)
    return search
  }

  // MARK: Errors

  private var stops: Bool { options.job.parseErrors == .stop }

  /// What is known of an input after reading it.
  private struct FoundInput {
    var stage: Int
    var count: Int
    var headings: MetHeadings
    var reading: String
    var notices: [String]
    var warnings: [String]

    init(_ lane: InputLane, _ count: Int) {
      (stage, self.count) = (lane.stage, count)
      (headings, reading) = (lane.input.headings, lane.input.reading)
      (notices, warnings) = (lane.input.notices, lane.input.warnings)
    }
  }

  /// What is known after reading all inputs.
  private struct FoundInputs {
    var met: [MetHeadings] = []
    /// The inputs that are not empty.
    var stages: Set<Int> = []
    /// The exports that are read part by part, with the number of their documents.
    var managed: [(export: ManagedExport, count: Int)] = []

    mutating func add(_ count: Int, of export: ManagedExport) {
      if let last = managed.last, last.export.overallFile.isIdentical(to: export.overallFile) {
        managed[managed.count - 1].count += count
      } else {
        managed.append((export, count))
      }
    }
  }

  private func read(
    _ width: Int,
    into search: inout DuplicateSearch,
    look: (DocumentRow, Int) throws -> Void = { _, _ in },
    end: (FoundInput) throws -> Void = { _ in }
  ) async throws {
    let meter = ImportProgress(inputs.sizes)
    let failed = Locked<[Int: Failure]>([:])
    let reading = SideBySide(width: width) { stage in
      do throws(Failure) {
        let input = try inputs.openForCheck(stage, decoding: options.job.duplicates != nil)
        return input.map { InputLane($0, stage: stage, .stop) }
      } catch {
        failed.withLock { $0[stage] = error }
        return nil
      }
    }
    var bytes = 0
    var counts: [Int: Int] = [:]
    try await reading.forEachBatch(of: Array(inputs.indices)) { batch, lane in
      try Task.checkCancellation()
      if failed.withLock({ $0[batch.stage] }) != nil { return true }
      bytes = bytes.addingClamped(batch.bytes)
      context.progress.advance(by: batch.rows.count, share: meter.share(read: bytes))
      let count = (counts[batch.stage] ?? 0) + batch.rows.count
      counts[batch.stage] = batch.isLast ? nil : count
      do {
        try take(batch, into: &search, look)
        if batch.isLast { try end(FoundInput(lane, count)) }
      } catch let failure as Failure {
        failed.withLock { $0[batch.stage] = failure }
        // Other failures are not caused by the file, so no other file has more to report.
        return failure.kind == .inputMalformed || failure.kind == .usage
      }
      return true
    }
    var failures = SourceFailures()
    for (_, failure) in failed.withLock({ $0 }).sorted(by: { $0.key < $1.key }) { try failures.add(failure) }
    try failures.conclude()
  }

  private func take(
    _ batch: InputBatch,
    into search: inout DuplicateSearch,
    _ look: (DocumentRow, Int) throws -> Void
  ) throws {
    let source = inputs.source(batch.stage)
    let isPlain = !source.isExported && (source.format.isTable || source.format == .json)
    for row in batch.rows {
      try look(row, batch.stage)
      guard let path = row.path, isImported(row), !path.isReserved else { continue }
      try search.add(path, at: Place(file: batch.stage, line: row.number))
      if isPlain { numberedIDs.withLock { $0.add(path) } }
    }
    if let failure = batch.failure { throw failure }
  }

  /// Reports what is known of an input after reading it.
  private func conclude(_ input: FoundInput, _ found: inout FoundInputs) throws(Failure) {
    let source = inputs.source(input.stage)
    if input.count > 0 { found.stages.insert(input.stage) }
    try assertAllFields(source)
    if input.count > 0 { found.met.append(input.headings) }
    if let managed = source.managed, managed.isPart { found.add(input.count, of: managed) }
    try compare(input.count, with: source)
    if options.job.isDryRun, source.document == nil {
      let units = NumberText.counted(input.count, source.unit)
      context.logger.notice("\(source.label): \(units) of \(input.reading).")
    }
    for warning in input.warnings { context.logger.warning("\(source.label): \(warning)") }
    for notice in input.notices { context.logger.notice("\(source.label): \(notice)") }
  }

  private func conclude(_ found: FoundInputs) throws(Failure) {
    for stage in inputs.indices where !found.stages.contains(stage) {
      let source = inputs.source(stage)
      warnOfNothing(in: source)
    }
    for (export, count) in found.managed { try export.assertWhole(count) }
    if !found.met.isEmpty { try inputs.assertUsed(found.met) }
  }

  private func warnOfNothing(in source: ImportSource) {
    // Normally, nothing was deleted.
    if source.listsDeletions { return }
    // Nor is it unusual that nothing was changed.
    if source.isIncrement, source.manifest?.file(named: FilePaths.name(of: source.path))?.documents == 0 {
      return
    }
    let what = source.format.isTable ? "rows below its headings" : "documents"
    let isEmpty = !source.isStream && !source.isExported && source.size(via: options.table.files) == 0
    let more = isEmpty ? " It has 0 bytes: it may be cut off." : ""
    context.logger.warning("\(source.label): it has no \(what).\(more)")
  }

  /// Refuses a folder with an export of some fields if the import would remove the other fields.
  ///
  /// - Throws: `.notPermitted`.
  private func assertAllFields(_ source: ImportSource) throws(Failure) {
    guard source.isFromFolder, !source.listsDeletions, let fields = source.manifest?.scope?.fields,
      options.job.mode == .upsert || options.job.mode == .replace
    else { return }
    throw Failure(
      .notPermitted,
      "import",
      path: source.label,
      cause: "it has the fields \(FilePaths.list(fields)) alone, and all others would be removed",
      remedy: "Use --mode merge, which keeps them; or name the file itself if that is what you want."
    )
  }

  /// Compares the number of documents of an exported file with its manifest, because lines may have been lost.
  ///
  /// For tables and plain JSON, which people edit, a difference only causes a warning.
  ///
  /// - Throws: `.inputMalformed` for JSON Lines.
  private func compare(_ count: Int, with source: ImportSource) throws(Failure) {
    guard let cause = source.difference(of: count) else { return }
    if source.format != .jsonLines { return context.logger.warning("\(source.label): \(cause).") }
    throw source.incomplete(cause)
  }

  /// Whether a row is imported despite any errors.
  private func isImported(_ row: DocumentRow) -> Bool {
    guard row.faults.isEmpty || (options.job.parseErrors == .skipField && row.document != nil) else {
      return false
    }
    // A document that the service would refuse does not supersede another one.
    guard options.job.duplicates != nil, let document = row.document else { return true }
    return DocumentLimits.violations(of: document).isEmpty
  }

  private func look(at row: DocumentRow, of source: ImportSource, _ report: ValidationReport) throws(Failure)
  {
    if !source.format.isTable {
      // Skipped lines are listed when they are skipped.
      if !stops { return }
      if let fault = row.faults.first, fault.code == nil { throw fault.failure }
    }
    for fault in row.faults { try report.add(fault, of: source) }
  }

  private func conclude(_ report: ValidationReport) throws(Failure) {
    guard var failure = report.first else { return }
    for line in report.lines { context.logger.warning("\(line)") }
    if !stops {
      context.logger.notice("See \(report.path) for the values.")
      return
    }
    if report.count > 1 { failure.cause += " (\(report.count) cells or rows in all)" }
    if let column = report.unexpectedColumn {
      failure.remedy =
        "Nothing was written. An export for people, which shows documents otherwise than they are stored, has such a column and cannot be imported; of any other table, --skip-columns \(column) leaves it out. See \(report.path) for the values."
      throw failure
    }
    let advice = failure.remedy.map { "\($0) " } ?? ""
    let unedited =
      options.job.mode == .merge && report.hasBreaches && options.sources.contains { $0.format.isTable }
      ? " Cells that nobody edited count, too: a table of the columns that are edited ('export --fields') has no others."
      : ""
    failure.remedy =
      "Nothing was written. \(advice)See \(report.path) for the values; fix them, or use \(Self.ways(past: report)).\(unedited)"
    throw failure
  }

  /// The options that allow the import despite the errors.
  private static func ways(past report: ValidationReport) -> String {
    if !report.hasBreaches {
      return
        "--parse-errors skip-row, which leaves such rows out, or skip-field, which leaves such cells out, so that a document that is there keeps its values of them"
    }
    // On its own, --validate warn stops at a cell that cannot be read.
    return report.hasFaults
      ? "--parse-errors skip-row, which leaves such rows out; with --validate warn beside it, only those that cannot be read"
      : "--validate warn, which imports all as it is, or --parse-errors skip-row, which leaves such rows out"
  }

  // MARK: Duplicates

  private func superseded(_ search: consuming DuplicateSearch) throws(Failure) -> Superseded {
    let superseded = Superseded()
    func insert(_ place: Place) throws(Failure) {
      try superseded.places.insert(place)
      if inputs.source(place.file).listsDeletions { try superseded.deletions.insert(place) }
    }
    let report = ValidationReport(context.folder.file("duplicates.csv"))
    var first: (earlier: Place, later: Place)?
    try search.forEachPair { earlier, later throws(Failure) in
      switch policy(of: earlier, later) {
      case .last: try insert(earlier)
      case .first: try insert(later)
      case nil:
        try report.add(fault(of: earlier, later), of: inputs.source(later.file))
        if first.map({ later < $0.later }) ?? true { first = (earlier, later) }
      }
    }
    guard let first else { return superseded }
    try report.flush()
    var failure = fault(of: first.earlier, first.later).failure
    if report.count > 1 { failure.cause += " (\(report.count) lines or rows in all)" }
    failure.remedy =
      "Nothing was written. See \(report.path) for all; remove one of each, or choose with --duplicates last (or first)."
    throw failure
  }

  private func policy(of earlier: Place, _ later: Place) -> DuplicatePolicy? {
    if inputs.source(later.file).isIncrement(upon: inputs.source(earlier.file)) { return .last }
    return options.job.duplicates
  }

  private func fault(of earlier: Place, _ later: Place) -> RowFault {
    let source = inputs.source(later.file)
    let other = inputs.source(earlier.file)
    // For CSV files, only line numbers are known here, which differ from row numbers after line breaks in cells.
    func unit(_ source: ImportSource) -> String { source.format == .csv ? "line" : source.unit }
    var place = "\(unit(other)) \(earlier.line)"
    if earlier.file != later.file { place += " of \(other.label)" }
    let cause = "\(unit(source)) \(later.line) has the same document as \(place)"
    return RowFault(
      row: later.line,
      expected: "another document than in \(place)",
      failure: Failure(.inputMalformed, "import", path: source.label, cause: cause)
    )
  }
}
