import Schema
import Tables

/// Determines the columns of a table before its first document is read.
enum TableSurvey {
  /// Reads the header, and all rows if the types of some columns have to be inferred; nil for a table without rows.
  ///
  /// - Parameter report: Called from time to time with the number of further rows and the offset in the source in bytes.
  /// - Throws: ``Failure``.
  static func plan(
    of source: ImportSource,
    collection: CollectionPath,
    options: TableOptions,
    report: (_ rows: Int, _ position: Int) -> Void
  ) throws(Failure) -> TablePlan? {
    var reader = try TableReader(source, options)
    let search = HeaderSearch(source, options)
    do throws(Failure) {
      guard try reader.nextTexts() else { return nil }
    } catch {
      // A title may have a quote or merged cells, which the table below it has not.
      if error.kind == .inputMalformed { try search.refuseTitleThatIsUnread() }
      throw error
    }
    try search.check(reader.row)
    func columns(_ options: TableOptions) throws(Failure) -> TablePlan {
      try TablePlan(
        header: reader.row,
        of: source.label,
        isSheet: source.format == .xlsx,
        collection: collection,
        isForExcel: reader.hasByteOrderMark,
        options: options
      )
    }
    var plan: TablePlan
    do throws(Failure) {
      plan = try columns(options)
    } catch {
      throw besides(error, in: source, options, columns)
    }
    // One of them is empty: only people's own tables have guesses.
    let isGuessed = plan.untyped.isEmpty
    let surveyed = isGuessed ? plan.undecided : plan.untyped
    if surveyed.isEmpty { return plan }
    let values = try CellValues(plan, options)
    var types = surveyed.map { (column: $0, type: TypeInference(dateOrder: options.dateOrder)) }
    var rows = 0
    while !Task.isCancelled {
      do throws(Failure) {
        guard try reader.next() else { break }
        rows += 1
        if rows.isMultiple(of: 1000) { report(1000, reader.position) }
        for index in types.indices {
          if isGuessed {
            types[index].type.look(at: reader.row, types[index].column, values)
          } else {
            types[index].type.lookForAddresses(in: reader.row, types[index].column, values)
          }
        }
      } catch {
        // The error is reported when the row is read as a document.
        if RowFault(malformed: error) == nil { throw error }
      }
    }
    if isGuessed {
      plan.decide(types.map { $0.type.guess(column: $0.column, values) })
    } else {
      for (column, type) in types { plan.take(type, of: column) }
    }
    return plan
  }

  // MARK: What else stops it

  /// The rows that are looked at for what else stops the import, and the most causes that are said.
  private static let searchedRows = 2000
  private static let saidCauses = 4

  /// Adds to the refusal of a table without IDs what its rows have against it, so that people hear of all of it at once.
  private static func besides(
    _ failure: Failure,
    in source: ImportSource,
    _ options: TableOptions,
    _ columns: (TableOptions) throws(Failure) -> TablePlan
  ) -> Failure {
    guard options.idColumn == nil, options.newIDs == nil else { return failure }
    var named = options
    named.newIDs = .uuid
    guard let plan = try? columns(named),
      let input = try? TableInput(source, plan: plan, options: named, stage: 0)
    else { return failure }
    var found: [(expected: String, cause: String)] = []
    var rows = 0
    while rows < searchedRows, found.count < saidCauses, let row = try? input.next() {
      rows += 1
      for fault in row.faults where !found.contains(where: { $0.expected.isIdentical(to: fault.expected) }) {
        found.append(
          (fault.expected, "\(fault.failure.cause)\(fault.failure.remedy.map { ". \($0)" } ?? "")")
        )
      }
    }
    guard !found.isEmpty else { return failure }
    var failure = failure
    let causes = found.map(\.cause).joined(separator: "; ")
    failure.remedy = "\(failure.remedy.map { "\($0) " } ?? "")Besides: \(causes)"
    return failure
  }
}
