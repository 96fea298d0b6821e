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
      // A title may have a quote, which is no reason to read all cells without quotes.
      if RowFault(malformed: error) != nil { try search.refuseTitleWithQuotes() }
      throw error
    }
    try search.check(reader.row)
    var plan = try TablePlan(
      header: reader.row,
      of: source.label,
      isSheet: source.format == .xlsx,
      collection: collection,
      isForExcel: reader.hasByteOrderMark,
      options: options
    )
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
}
