import FirestoreModels
import Schema
import Tables

/// Determines the columns of a table before its first document is read.
enum TableSurvey {
  /// Reads the header, and all rows if the types of some columns have to be inferred; nil for a table without rows.
  ///
  /// - Parameter report: Called from time to time with the number of further rows and the offset in the source in bytes.
  /// - Throws: ``Failure``, with everything that is wrong with the table.
  static func plan(
    of source: ImportSource,
    collection: CollectionPath,
    options: TableOptions,
    report: (_ rows: Int, _ position: Int) -> Void
  ) throws(Failure) -> TablePlan? {
    do throws(TableObstacle) {
      return try survey(source, collection, options, report)
    } catch {
      let all = TableObstacles(source: source) { options throws(TableObstacle) in
        try survey(source, collection, options) { _, _ in }
      }
      throw all.failure(of: error)
    }
  }

  private static func survey(
    _ source: ImportSource,
    _ collection: CollectionPath,
    _ options: TableOptions,
    _ report: (_ rows: Int, _ position: Int) -> Void
  ) throws(TableObstacle) -> TablePlan? {
    var reader: TableReader
    do throws(Failure) { reader = try TableReader(source, options) } catch { throw TableObstacle(error) }
    guard try readHeader(&reader, source, options) else {
      try assertHeader(source, options)
      // Even an export without documents has headings; a workbook may have empty sheets.
      if source.format == .csv {
        throw TableObstacle(.malformed(source.label, "it is empty, without headings: it may be cut off"))
      }
      return nil
    }
    var plan: TablePlan
    do throws(Failure) {
      plan = try TablePlan(
        header: reader.row,
        of: source.label,
        isSheet: source.format == .xlsx,
        collection: collection,
        isForExcel: reader.hasByteOrderMark,
        options: options
      )
    } catch {
      guard options.idColumn == nil, options.newIDs == nil, !TablePlan.isList(reader.row.texts) else {
        throw TableObstacle(error)
      }
      throw TableObstacle(error, options) { $0.newIDs = .uuid }
    }
    do throws(Failure) { try infer(&plan, from: &reader, options, report) } catch {
      throw TableObstacle(error)
    }
    return plan
  }

  /// Reads the row of headings; returns false for a table without rows.
  private static func readHeader(
    _ reader: inout TableReader,
    _ source: ImportSource,
    _ options: TableOptions
  ) throws(TableObstacle) -> Bool {
    let search = HeaderSearch(source: source, options: options)
    do throws(Failure) {
      guard try reader.nextTexts() else { return false }
    } catch {
      // A title may have a quote or merged cells, which the table below it does not have.
      if error.kind == .inputMalformed { try search.refuseTitleThatIsUnread() }
      guard let encoding = reader.guessedEncoding else { throw TableObstacle(error) }
      throw TableObstacle(error, options) { $0.encoding = encoding }
    }
    try search.check(reader.row)
    return true
  }

  /// Refuses a table that has rows, but ends above the one that an option takes for the headings.
  private static func assertHeader(_ source: ImportSource, _ options: TableOptions) throws(TableObstacle) {
    guard let row = options.headerRow, row > 1, !source.isStream else { return }
    var all = options
    all.headerRow = 1
    guard var reader = try? TableReader(source, all), (try? reader.next()) ?? true else { return }
    let failure = Failure.malformed(
      source.label,
      "it has no row from row \(row) on, where the headings were to be",
      remedy:
        "Give \(source.option("header-row", "ROW")) a row of the table; --skip-rows counts the rows above it."
    )
    throw TableObstacle(failure)
  }

  /// Infers the types of columns that have none.
  private static func infer(
    _ plan: inout TablePlan,
    from reader: inout TableReader,
    _ options: TableOptions,
    _ report: (_ rows: Int, _ position: Int) -> Void
  ) throws(Failure) {
    // One of the two is empty, because only tables that people made have guesses.
    let isGuessed = plan.untyped.isEmpty
    let surveyed = isGuessed ? plan.undecided : plan.untyped
    if surveyed.isEmpty { return }
    let values = try CellValues(plan, options)
    var types = surveyed.map { (column: $0, type: TypeInference(dateOrder: options.dateOrder)) }
    var rows = 0
    while !Task.isCancelled {
      do throws(Failure) {
        guard try reader.next() else { break }
        rows += 1
        if rows.isMultiple(of: 1000) { report(1000, reader.position) }
        if plan.isHeader(reader.row) { continue }
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
  }
}
