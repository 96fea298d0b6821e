import FirestoreREST
import Logging
import Tables

/// Which of several documents with the same path in the input is imported (`--duplicates`).
package enum DuplicatePolicy: String, Codable, Sendable, CaseIterable {
  /// The one that comes first.
  case first
  /// The one that comes last.
  case last
}

/// The lines and rows that give way to another one of the same document; each list can be looked through once.
struct Superseded {
  let places = PlaceList()
  /// Those of them that list a document as deleted.
  let deletions = PlaceList()
}

/// The first pass of an import: everything is read before anything is written.
struct InputCheck {
  let inputs: ImportInputs
  let options: Import.Options
  let context: RunContext

  private typealias Place = DuplicateSearch.Place

  /// Reads all inputs and reports what is wrong.
  ///
  /// - Returns: The lines and rows that give way to another one of the same document.
  /// - Throws: `.inputMalformed` for an error, unless the policy is to skip it, and for a document that occurs twice, unless it is
  ///   decided which one is imported.
  func report() throws -> Superseded {
    let report = ValidationReport(context.folder.file("validation.csv"))
    var search = DuplicateSearch()
    try read(reporting: report, &search)
    try conclude(report)
    return try superseded(search)
  }

  /// Finds again what ``report()`` returned to the run that is resumed or divided.
  func repeated() throws -> Superseded {
    let isDecided = options.duplicates != nil || inputs.indices.contains { inputs.source($0).isIncrement }
    if !isDecided { return Superseded() }
    var search = DuplicateSearch()
    try read(reporting: nil, &search)
    return try superseded(search)
  }

  // MARK: Errors

  private var stops: Bool { options.parseErrors == .stop }

  private func read(reporting report: ValidationReport?, _ search: inout DuplicateSearch) throws {
    let meter = ImportProgress(inputs.sizes)
    var met: [MetHeadings] = []
    for stage in inputs.indices {
      guard let input = try inputs.openForCheck(stage, decoding: options.duplicates != nil) else { continue }
      var read = 0
      while let row = try input.next() {
        try Task.checkCancellation()
        if let report { try look(at: row, of: inputs.source(stage), report) }
        if let path = row.path, isImported(row), !path.isReserved {
          try search.add(path, at: Place(file: stage, line: row.number))
        }
        read += 1
        if read % 1000 == 0 {
          context.progress.advance(by: 1000, share: meter.share(stage: stage, position: input.position))
        }
      }
      if report == nil { continue }
      try assertAllFields(inputs.source(stage))
      if read > 0 { met.append(input.headings) }
      try compare(read, with: inputs.source(stage))
      if options.isDryRun, inputs.source(stage).document == nil {
        let source = inputs.source(stage)
        let units = NumberText.counted(read, source.unit)
        context.logger.notice("\(source.label): \(units) of \(input.reading).")
      }
      for notice in input.notices { context.logger.notice("\(inputs.source(stage).label): \(notice)") }
    }
    if !met.isEmpty { try inputs.assertUsed(met) }
  }

  /// Refuses a folder of an export of some fields where the others would be removed.
  ///
  /// - Throws: `.notPermitted`.
  private func assertAllFields(_ source: ImportSource) throws(Failure) {
    guard source.isFromFolder, !source.listsDeletions, let fields = source.manifest?.scope?.fields,
      options.mode == .upsert || options.mode == .replace
    else { return }
    throw Failure(
      .notPermitted,
      "import",
      path: source.label,
      cause: "it has the fields \(FilePaths.list(fields)) alone, and all others would be removed",
      remedy: "Use --mode merge, which keeps them; or name the file itself if that is what you want."
    )
  }

  /// Compares the number of documents of a file of an export with its manifest: lines may have been lost since.
  ///
  /// People edit tables, so of these it is only said.
  ///
  /// - Throws: `.inputMalformed` for JSON Lines.
  private func compare(_ count: Int, with source: ImportSource) throws(Failure) {
    guard source.isFromFolder, !source.listsDeletions, source.format == .jsonLines || source.format == .csv,
      let entry = source.manifest?.file(named: FilePaths.name(of: source.path)), entry.documents != count
    else { return }
    let cause = "it has \(count), and the manifest says \(NumberText.counted(entry.documents, "document"))"
    if source.format == .csv { return context.logger.warning("\(source.label): \(cause).") }
    throw .malformed(
      source.label,
      cause,
      remedy:
        "Take another copy of the export; or name the files themselves, which are then read without their manifest."
    )
  }

  /// Whether a row is not rejected for its errors.
  private func isImported(_ row: DocumentRow) -> Bool {
    guard row.faults.isEmpty || (options.parseErrors == .skipField && row.document != nil) else {
      return false
    }
    // Of two documents, one that the service would refuse does not replace the other.
    guard options.duplicates != nil, let document = row.document else { return true }
    return DocumentLimits.violations(of: document).isEmpty
  }

  private func look(at row: DocumentRow, of source: ImportSource, _ report: ValidationReport) throws(Failure)
  {
    if !source.format.isTable {
      // Lines that are skipped are listed when they are.
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
    failure.remedy =
      "Nothing was written. See \(report.path) for the values; fix them, or use --parse-errors skip-row."
    throw failure
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
    var failure = fault(of: first.earlier, first.later).failure
    if report.count > 1 { failure.cause += " (\(report.count) lines or rows in all)" }
    failure.remedy =
      "Nothing was written. See \(report.path) for all; remove one of each, or choose with --duplicates last (or first)."
    throw failure
  }

  private func policy(of earlier: Place, _ later: Place) -> DuplicatePolicy? {
    if let decided = options.duplicates { return decided }
    return inputs.source(later.file).isIncrement(upon: inputs.source(earlier.file)) ? .last : nil
  }

  private func fault(of earlier: Place, _ later: Place) -> RowFault {
    let source = inputs.source(later.file)
    let other = inputs.source(earlier.file)
    var place = "\(other.unit) \(earlier.line)"
    if earlier.file != later.file { place += " of \(other.label)" }
    let cause = "\(source.unit) \(later.line) has the same document as \(place)"
    return RowFault(
      row: later.line,
      expected: "another document than in \(place)",
      failure: Failure(.inputMalformed, "import", path: source.label, cause: cause)
    )
  }
}
