import Schema
import Tables

/// The documents of a table, row by row.
final class TableInput: DocumentInput {
  private let source: ImportSource
  private let plan: TablePlan
  private let options: TableOptions
  private let stage: Int
  private let cellValues: CellValues
  private let longTexts: LongTextIndex?
  private let exactValues: ExactValueIndex?
  private var reader: TableReader
  private var values: [Value?] = []
  private var rejects: RejectLines
  private var mixed: MixedCells
  private var openDates: OpenDates
  private var openNumbers: OpenNumbers
  private var percents: MixedPercents
  private var guarded: GuardedTexts
  private var spaced: SpacedTexts
  private var total: TotalRow
  private var notes: NoteRows
  private var points: PointedColumns
  private var beyond = ColumnsBeyond()
  /// Whether the last row could not be parsed into the cells of the header.
  private var isBroken = false
  /// The ID that was made for the last row; nil if it has one.
  private var newID: String?
  private var unheaded: UnheadedCells

  /// Opens a table.
  ///
  /// - Parameter stage: The index of the input, for new IDs.
  init(_ source: ImportSource, plan: TablePlan, options: TableOptions, stage: Int) throws(Failure) {
    self.source = source
    self.plan = plan
    self.options = options
    self.stage = stage
    longTexts = try source.opening { path throws(Failure) in
      source.format == .xlsx ? try LongTextIndex(of: path, for: source.sheet, plan) : nil
    }
    exactValues = try source.opening { path throws(Failure) in
      try source.sheet.flatMap { sheet throws(Failure) in
        try ExactValueIndex(of: path, sheet: sheet, plan)
      }
    }
    cellValues = try CellValues(plan, options)
    var reader = try TableReader(source, options)
    // The header.
    _ = try reader.next()
    rejects = try RejectLines(plan, cellValues, of: source.origin(options), reader.delimiter)
    mixed = MixedCells(plan)
    openDates = OpenDates(plan, options)
    openNumbers = OpenNumbers(plan, options)
    percents = MixedPercents(plan, options)
    guarded = GuardedTexts(plan, isExportedSheet: plan.isSheet && source.writing.timeZone != nil)
    spaced = SpacedTexts(options, isExported: source.isExported)
    total = TotalRow(plan, isExported: source.isExported)
    notes = NoteRows(plan, isExported: source.isExported)
    points = PointedColumns(source, options)
    unheaded = UnheadedCells(
      width: plan.headings.count,
      isSheet: plan.isSheet,
      skipped: options.skippedColumns
    )
    self.reader = reader
  }

  func skip(through number: Int) throws(Failure) {
    while reader.row.number < number {
      do throws(Failure) {
        if try reader.next() {
          // The first row decides about the others.
          _ = unheaded.surplus(in: reader.row)
          continue
        }
      } catch {
        if RowFault(malformed: error) != nil { continue }
        throw error
      }
      throw Failure(.inputMalformed, "read", path: source.label, cause: "it has fewer than \(number) rows")
    }
  }

  var position: Int { reader.position }

  func next() throws(Failure) -> DocumentRow? {
    (isBroken, newID) = (false, nil)
    do throws(Failure) {
      if try !reader.next() {
        if let refusal = mixed.refusal(plan, in: source.label) { throw refusal }
        return nil
      }
    } catch {
      guard let fault = RowFault(malformed: error) else { throw error }
      isBroken = true
      return DocumentRow(number: error.record?.line ?? fault.row, faults: [fault])
    }
    if plan.isUnfilled(reader.row) { return unfilled() }
    if plan.isHeader(reader.row) {
      isBroken = true
      return refused("a document; it is the header again")
    }
    let surplus = unheaded.surplus(in: reader.row)
    isBroken = surplus != nil
    try exactValues?.begin(reader.row)
    return document(surplus)
  }

  func rejected(_ reason: String) -> RejectedRow? {
    let bytes = isBroken ? reader.rawRow() : []
    let raw = isBroken ? RawRow.text(bytes) : Array(plan.raw(of: reader.row).utf8)
    let isCut = bytes.count == CSVReader.maximumRawBytes
    let reason = isCut ? "\(reason); only its first \(bytes.count) bytes are kept" : reason
    let line = rejects.line(isBroken ? nil : reader.row, newID, reason, raw: raw) {
      row,
      index,
      type throws(CellValues.Fault) in
      try value(of: row, index, as: type)
    }
    return RejectedRow(header: rejects.header, line: line)
  }

  var notices: [String] {
    let lost =
      exactValues?.isRounded == true
      ? [
        "Its times are rounded to hundredths of a second, as an .ods keeps them: export again, and edit the .xlsx itself."
      ] : []
    // The zone of a table that an export wrote is in the export.
    let isKnown = options.isZoneGiven || source.isExported || source.writing.timeZone != nil
    let dates = openDates.notices(plan, in: isKnown ? nil : options.timeZone)
    let used = plan.roles.indices.filter { if case .field = plan.roles[$0] { true } else { false } }
    return reader.notices(of: used) + mixed.notices(plan) + percents.notices(plan) + dates + lost
  }

  var warnings: [String] {
    let found =
      beyond.warnings(plan, options, source) + (exactValues?.warnings(plan) ?? []) + guarded.warnings
      + spaced.warnings(plan) + total.warnings
      + notes.warnings
    if source.isExported { return found }
    return found + openDates.warnings(plan) + openNumbers.warnings(plan) + percents.warnings(plan)
      + plan.headingsAlike
  }

  var reading: String { "\(reader.reading); \(plan.reading)" }

  func cell(of field: FieldPath?) -> Cell? {
    let index: Int?
    if let field {
      index = plan.roles.firstIndex { role in
        if case .field(let column) = role {
          column.path == field || column.path.isPrefix(of: field)
        } else {
          false
        }
      }
    } else {
      index = plan.idColumn
    }
    guard let index else { return nil }
    return Cell(
      column: index + 1,
      heading: plan.headings.indices.contains(index) ? plan.headings[index] : nil,
      name: plan.name(ofColumn: index),
      value: reader.row[index]
    )
  }

  // MARK: Rows

  /// The error of a row in a list of rejects that nobody has filled in.
  private func unfilled() -> DocumentRow {
    refused(
      "the values of the row, which \(TablePlan.rawHeading) shows as it was; it has only a \(TablePlan.reasonHeading)"
    )
  }

  private func refused(_ expected: String) -> DocumentRow {
    let row = reader.row
    let failure = Failure.malformed(source.label, "\(row.place): expected \(expected)")
    let fault = RowFault(row: row.row, expected: expected, failure: failure)
    return DocumentRow(number: row.number, faults: [fault])
  }

  /// - Parameter surplus: The index of a cell too many; nil if there is none.
  private func document(_ surplus: Int?) -> DocumentRow {
    beyond.take(reader.row)
    total.take(reader.row)
    notes.take(reader.row)
    var faults: [RowFault] = []
    var skipped: [FieldPath] = []
    // The cells of a sheet have their columns, whatever is beside them.
    var isPartial = isBroken && !plan.isSheet
    values.removeAll(keepingCapacity: true)
    var rest: FieldMap?
    for index in 0..<max(reader.row.count, plan.roles.count) {
      values.append(nil)
      do throws(CellValues.Fault) {
        try takeCell(index, isSurplus: index == surplus, &rest)
      } catch {
        faults.append(fault(index, expected(error, index) + Spacing.remark(on: reader.row[index])))
        switch role(index) {
        case .field(let column): skipped.append(column.path)
        // It is unknown which fields are in it.
        case .rest: isPartial = true
        default: break
        }
      }
    }
    let path = path(&faults)
    let fields = fields(rest, &faults)
    // If a row of CSV has a cell too many, it is unknown which headings the others belong to.
    guard !isPartial, let path, let fields else {
      return DocumentRow(number: reader.row.number, faults: faults)
    }
    return DocumentRow(
      number: reader.row.number,
      row: reader.row.row,
      content: .document(.decoded(RawDocument(path: path, fields: fields))),
      faults: faults,
      skipped: skipped
    )
  }

  /// Adds the value of a cell to ``values`` and to the counts for the report, or its fields to `rest`.
  private func takeCell(_ index: Int, isSurplus: Bool, _ rest: inout FieldMap?) throws(CellValues.Fault) {
    if !source.isExported {
      if plan.identifiers.contains(index) { try cellValues.assertAllDigits(of: reader.row, index) }
      try cellValues.assertNoError(of: reader.row, index)
    }
    switch role(index) {
    case .field(let column) where index == plan.idColumn && column.type == .string:
      // Its text is that of the id, so it is read neither as null nor as JSON, and its error is that of the id.
      let name = try? cellValues.name(of: reader.row, index)
      values[index] = name.flatMap { $0.isEmpty ? nil : .string($0) }
    case .field(let column):
      let value = try value(of: reader.row, index, as: column.type)
      values[index] = source.isExact ? value : column.fitting(value)
      mixed.take(values[index], of: reader.row, index)
      openDates.take(reader.row, index)
      openNumbers.take(reader.row, index)
      percents.take(values[index], of: reader.row, index)
      guarded.take(reader.row, index)
      spaced.take(values[index], of: reader.row, index)
    case .rest: rest = try furtherFields(index)
    case .name: guarded.take(reader.row, index)
    case .reason, .skipped: break
    case .none: if reader.row.kind(index) != .missing || isSurplus { throw unheadedFault(index) }
    }
  }

  /// Returns the fields of the row's ``values`` together with those that have no column; nil, with a fault, if they do not fit
  /// together.
  private func fields(_ rest: FieldMap?, _ faults: inout [RowFault]) -> FieldMap? {
    let known: FieldMap
    do throws(FieldTree.Conflict) {
      known = try plan.tree.fields(of: values)
    } catch {
      faults.append(fault(error.column, "nothing, as columns below it are filled; or nothing below it"))
      return nil
    }
    guard let rest else { return known }
    if let all = FieldTree.merged(known, rest) { return all }
    let index = plan.roles.firstIndex { if case .rest = $0 { true } else { false } }
    faults.append(fault(index ?? 0, "only fields that have no column of their own"))
    return nil
  }

  /// What was expected of a cell; if it is a reference, into the collection that the schema says.
  private func expected(_ error: CellValues.Fault, _ index: Int) -> String {
    guard case .field(let column) = role(index) else { return error.expected }
    return points.advised(error.expectation(into: column.reference), reader.row[index], index)
  }

  private func role(_ index: Int) -> TablePlan.Role {
    if plan.roles.indices.contains(index) { return plan.roles[index] }
    return options.skippedColumns.contains(index + 1) ? .skipped : .none
  }

  /// The fault of a cell that has no heading.
  private func unheadedFault(_ index: Int) -> CellValues.Fault {
    // The numbers of options mean the columns of the table, and not those of a list of its rejected rows.
    let naming = plan.isHeading(number: index + 1) ? "a heading in the file" : "--rename \(index + 1)=FIELD"
    let leaving = source.option("skip-columns", "\(index + 1)")
    let advice = source.rejects != nil ? "" : " (\(naming) names it, \(leaving) leaves it out)"
    return CellValues.Fault(
      expected: unheaded.expected(at: index, of: reader.row) ?? "nothing: the column has no heading\(advice)"
    )
  }

  /// Returns the value of a cell: the exact value if the cell still shows it.
  private func value(
    of row: CellRow,
    _ index: Int,
    as type: Column.ValueType
  ) throws(CellValues.Fault) -> Value? {
    if let exact = exactValues?.value(of: row, index), plan.takes(exact, in: index) { return exact }
    let type = type == .any ? exactValues?.type(of: row, index) ?? type : type
    let value = try cellValues.value(of: row, index, as: type, longTexts)
    return exactValues.map { $0.typed(value, in: row, index) } ?? value
  }

  /// Returns the fields in a cell of the column for those that have none.
  private func furtherFields(_ index: Int) throws(CellValues.Fault) -> FieldMap? {
    switch try value(of: reader.row, index, as: .any) {
    case nil, .null?, .string("")?: nil
    case .map(let fields)?: fields
    default:
      let example = #"{"mapValue":{"fields":{"a":{"integerValue":"1"}}}}"#
      throw CellValues.Fault(expected: "a map of further fields, such as \(example), or nothing")
    }
  }

  private func fault(_ index: Int, _ expected: String) -> RowFault {
    let cause = "\(reader.row.place), \(plan.name(ofColumn: index)): expected \(expected)"
    let failure = Failure.malformed(source.label, cause)
    return RowFault(
      row: reader.row.row,
      column: index + 1,
      heading: plan.headings.indices.contains(index) ? plan.headings[index] : nil,
      value: reader.row[index],
      expected: expected,
      failure: failure
    )
  }

  // MARK: Ids

  private func path(_ faults: inout [RowFault]) -> DocumentPath? {
    var name = ""
    if let index = plan.idColumn {
      do throws(CellValues.Fault) {
        name = try cellValues.name(of: reader.row, index)
        if options.keepsSpaces != true, !source.isExported { try CellValues.assertNoSpaces(around: name) }
      } catch {
        faults.append(fault(index, error.expected))
        return nil
      }
    }
    if name.isEmpty {
      guard let kind = options.newIDs else {
        let isTotal = total.isRefused(in: reader.row)
        let advice =
          isTotal
          ? "; the row looks like the sum of others: take it out of the file if it is"
          : " (--new-ids uuid gives one)"
        faults.append(fault(plan.idColumn ?? 0, "the id of a document\(advice)"))
        return nil
      }
      let seed = "\(options.newIDSeed)/\(stage)/\(reader.row.number)"
      name = kind == .uuid ? DerivedID.uuid(seed) : DerivedID.auto(seed)
      newID = name
      if let index = plan.idField, values[index] == nil { values[index] = .string(name) }
    }
    if options.flattens, let slash = name.utf8.lastIndex(of: UInt8(ascii: "/")) {
      name = String(name[name.utf8.index(after: slash)...])
    }
    guard let path = plan.collection.document(named: name, readsPaths: plan.readsForms) else {
      let advice =
        options.idColumn == nil
        ? "" : " (without --id-column, --new-ids uuid gives others, and the column stays a field)"
      faults.append(
        fault(
          plan.idColumn ?? 0,
          plan.readsForms ? "an id, or a path below \(plan.collection)" : "an id without /\(advice)"
        )
      )
      return nil
    }
    if let violation = PathLimits.violations(of: path).first {
      faults.append(fault(plan.idColumn ?? 0, "an id that the service takes: \(violation.message)"))
      return nil
    }
    return path
  }
}

extension TableReader {
  /// - Parameter isSearched: Whether the table is searched for the header, where rows may be short.
  init(_ source: ImportSource, _ options: TableOptions, isSearched: Bool = false) throws(Failure) {
    var reading = options.reading
    reading.shortRows = isSearched ? .pad : reading.shortRows ?? .refuse
    if source.isExported { reading.keepsSpaces = true }
    if isSearched { (reading.headerRow, reading.unmerge) = (0, .first) }
    try self.init(
      source.path,
      at: source.copy?.location(),
      format: source.format == .xlsx ? .xlsx : .csv,
      sheet: source.sheet,
      reading: reading,
      via: options.files
    )
  }
}
