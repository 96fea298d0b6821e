import CXLSXWriter
package import Files
package import FirestoreModels
import Platform
import Schema

/// Writes a workbook with one sheet per collection, through libxlsxwriter in constant memory.
///
///     let workbook = try XLSXWriter("gym.xlsx", options: XLSXOptions(timeZone: LocalTimeZone(named: "UTC")))
///     let sheet = try workbook.sheet(for: CollectionPath(nil, "users"))
///     for try await page in client.pages(of: read) { try sheet.append(contentsOf: page) }
///     try sheet.finish()
///     try workbook.finish()
///
/// Sheets are in the order in which their writers were created. Further sheets of a collection with more than
/// 1,048,575 documents, `long texts`, and the hidden `_exact` are at the end. A writer that is dropped before
/// ``finish()`` leaves nothing behind.
///
/// A workbook is for people. What its cells do not carry is in the hidden sheet (``ExactValues``): types other
/// than the column's, and digits beyond 15, of which libxlsxwriter writes 16 and LibreOffice saves 15. Once a
/// spreadsheet has saved it, the difference between an empty text and a missing value may be lost. JSON Lines
/// keeps everything.
package final class XLSXWriter {
  /// Excel's limit of rows per sheet, including the header.
  package static let maximumRows = 1_048_576
  static let longTextsName = "long texts"

  /// The receipt of the finished file.
  package private(set) var receipt: OutputFile.Receipt?

  let options: XLSXOptions
  private let path: String
  private let temporaryFolder: String
  private let rowsPerSheet: Int
  private let target: String?
  private let temporary: String
  private var numberFormats: [String: UnsafeMutablePointer<lxw_format>] = [:]
  private var specialFormats: [String: UnsafeMutablePointer<lxw_format>] = [:]
  private var temporaryIsLeft = true
  private(set) var workbook: Workbook?
  private var names = SheetNames()
  /// The names of sheets that will be there, by their collections.
  private var announced: [UTF8Key: String] = [:]
  /// The collections whose sheets are there.
  private var begun: Set<UTF8Key> = []
  private var longTexts: LongTexts
  private var exactValues: ExactValues

  /// Starts a workbook (`-` is standard output).
  ///
  /// - Throws: ``Failure`` of kind `cannotWrite`.
  package convenience init(_ path: String, options: XLSXOptions) throws(Failure) {
    try self.init(path, options: options, rowsPerSheet: Self.maximumRows)
  }

  init(_ path: String, options: XLSXOptions, rowsPerSheet: Int) throws(Failure) {
    try options.files.checkWritable(path)
    self.path = path
    self.options = options
    self.rowsPerSheet = rowsPerSheet
    let folder = options.temporaryFolder ?? FilePaths.temporaryFolder(for: path)
    temporaryFolder = folder
    guard access(folder, W_OK | X_OK) == 0 else { throw Failure.cannotWrite(folder, errno: errno) }
    longTexts = try LongTexts(in: folder, for: path == "-" ? nil : path)
    exactValues = try ExactValues(in: folder, for: path == "-" ? nil : path)
    // The library writes to a file name. A device or a pipe gets the finished bytes afterwards.
    let isFile =
      path != "-" && !FileAccess.isRemote(path)
      && (SystemCall.status(path).status.map(\.isRegularFile) ?? true)
    target = isFile ? FilePaths.resolved(path) : nil
    let made = try FilePaths.createTemporary(beside: target ?? "\(folder)/gymmigrate.xlsx", reporting: path)
    close(made.descriptor)
    temporary = made.name
    do throws(Failure) {
      workbook = try Workbook(made.name, temporaryFolder: folder)
    } catch {
      unlink(made.name)
      throw error
    }
  }

  deinit {
    if temporaryIsLeft { unlink(temporary) }
  }

  /// Announces the sheets of collections, so that sheets before them link to theirs.
  ///
  /// Each of them must be made afterwards; the names are taken now.
  package func announce(_ collections: [CollectionPath]) {
    for collection in collections where announced[UTF8Key(collection.string)] == nil {
      announced[UTF8Key(collection.string)] = names.unique(collection.string)
    }
  }

  /// Returns a writer for the next sheet.
  ///
  /// - Parameters:
  ///   - collection: The collection of its documents.
  ///   - name: The sheet name before it is made valid and unique; the collection path if nil.
  ///   - fields: The columns; those of the catalogue and further fields if nil.
  /// - Throws: ``Failure`` of kind `cannotWrite` or `usage`.
  package func sheet(
    for collection: CollectionPath,
    named name: String? = nil,
    fields: [FieldPath]? = nil
  ) throws(Failure) -> any CollectionWriter {
    let isFirst = begun.insert(UTF8Key(collection.string)).inserted
    let announced = name == nil && isFirst ? announced[UTF8Key(collection.string)] : nil
    let sheetName = announced ?? names.unique(name ?? collection.string)
    let first = try addSheet(named: sheetName)
    return try SheetWriter(
      of: self,
      first: first,
      name: sheetName,
      collection: collection,
      fields: fields,
      folder: temporaryFolder,
      path: path == "-" ? nil : path
    )
  }

  /// Returns a writer for a sheet for people, which is the next one.
  ///
  /// - Throws: ``Failure`` of kind `cannotWrite`.
  package func summary(named name: String) throws(Failure) -> SummaryWriter {
    let name = names.unique(name)
    return SummaryWriter(of: self, try addSheet(named: name), named: name)
  }

  /// Completes the workbook, after all sheets were finished; this takes most of the time.
  ///
  /// - Throws: ``Failure`` of kind `cannotWrite`.
  package func finish() throws(Failure) {
    guard workbook != nil else { return }
    if longTexts.rows.count > 0 {
      let name = names.unique(Self.longTextsName)
      try write(
        &longTexts.rows,
        header: LongTexts.header,
        widths: LongTexts.widths,
        numberFormats: [],
        name: name,
        first: nil
      )
    }
    if exactValues.rows.count > 0 {
      try write(
        &exactValues.rows,
        header: ExactValues.header,
        widths: ExactValues.widths,
        numberFormats: [],
        name: names.unique(ExactValues.sheetName),
        first: nil,
        isHidden: true
      )
    }
    try workbook.take()?.close(reporting: path)
    let finished = FinishedWorkbook(
      temporary: temporary,
      path: path,
      digests: options.digest,
      files: options.files
    )
    if let target {
      receipt = try finished.publish(as: target)
    } else {
      receipt = try finished.copyOut()
      unlink(temporary)
    }
    temporaryIsLeft = false
  }

  // MARK: Sheets

  private func addSheet(named name: String) throws(Failure) -> UnsafeMutablePointer<lxw_worksheet> {
    guard let sheet = try workbook?.addSheet(named: name) else {
      throw Failure(.internal, "add a sheet to", path: path, cause: "the workbook is finished")
    }
    return sheet
  }

  /// Stores a text that exceeds a cell for the last sheet, and returns the text of its cell.
  func keepLong(
    _ text: UnsafeBufferPointer<UInt8>,
    sheet: String,
    document: Substring.UTF8View,
    column: Column
  ) throws(Failure) -> [UInt8] {
    try longTexts.keep(text, sheet: sheet, document: document, field: column.path.description)
  }

  /// Stores the exact value of a cell for the hidden sheet; false if that cannot hold it.
  func keepExact(
    _ value: Value,
    shown: ShownCell,
    text: [UInt8],
    sheet: String,
    document: Substring.UTF8View,
    column: Column
  ) throws(Failure) -> Bool {
    try exactValues.keep(
      value,
      shown: shown,
      text: text,
      sheet: sheet,
      document: document,
      field: column.path.description
    )
  }

  /// Writes rows to a sheet and, beyond its limit, to further ones.
  func write(
    _ rows: inout SheetRows,
    header: [String],
    widths: [Double],
    numberFormats: [String?],
    extras: SheetExtras = SheetExtras(),
    name: String,
    first: UnsafeMutablePointer<lxw_worksheet>?,
    isHidden: Bool = false
  ) throws(Failure) {
    let links = SheetLinks(extras, to: announced)
    try checkRoom(for: rows, links: links.count)
    let formats = try numberFormats.map { code throws(Failure) in
      try code.flatMap { code throws(Failure) in try format(code) }
    }
    var sheet: UnsafeMutablePointer<lxw_worksheet>
    if let first { sheet = first } else { sheet = try addSheet(named: name) }
    if isHidden { worksheet_hide(sheet) }
    try start(sheet, header: header, widths: widths, formats: formats)
    var row: UInt32 = 1
    try rows.read { cells throws(Failure) in
      if Int(row) == rowsPerSheet {
        try end(sheet, rows: row, columns: header.count, extras)
        sheet = try addSheet(named: names.unique(name))
        if isHidden { worksheet_hide(sheet) }
        try start(sheet, header: header, widths: widths, formats: formats)
        row = 1
      }
      try write(cells, links, to: sheet, row: row)
      row += 1
    }
    try end(sheet, rows: row, columns: header.count, extras)
  }

  /// The format of what stands out, made once for the workbook: black on yellow.
  private func highlightFormat() throws(Failure) -> UnsafeMutablePointer<lxw_format>? {
    if let known = specialFormats["highlight"] { return known }
    let made = try workbook?.addFormat()
    if let made { format_set_bg_color(made, 0xFFEB9C) }
    specialFormats["highlight"] = made
    return made
  }

  /// The format of links, made once for the workbook: text, so that what is typed over an ID stays one.
  private func linkFormat() throws(Failure) -> UnsafeMutablePointer<lxw_format>? {
    if let known = specialFormats["link"] { return known }
    let made = try workbook?.numberFormat("@")
    if let made {
      format_set_font_color(made, 0x0563C1)
      format_set_underline(made, UInt8(LXW_UNDERLINE_SINGLE.rawValue))
    }
    specialFormats["link"] = made
    return made
  }

  /// The format of a code, made once for the workbook.
  private func format(_ code: String) throws(Failure) -> UnsafeMutablePointer<lxw_format>? {
    if let known = numberFormats[code] { return known }
    let made = try workbook?.numberFormat(code)
    numberFormats[code] = made
    return made
  }

  private func start(
    _ sheet: UnsafeMutablePointer<lxw_worksheet>,
    header: [String],
    widths: [Double],
    formats: [UnsafeMutablePointer<lxw_format>?]
  ) throws(Failure) {
    guard let format = workbook?.headingFormat else { return }
    worksheet_freeze_panes(sheet, 1, 0)
    var text: [UInt8] = []
    for (index, heading) in header.enumerated() {
      // Cells without a format of their own take that of their column.
      let own = index < formats.count ? formats[index] : nil
      worksheet_set_column(sheet, UInt16(index), UInt16(index), widths[index], own)
      text.removeAll(keepingCapacity: true)
      var heading = heading
      heading.withUTF8 { utf8 in
        // A field name has at most 1,500 bytes, but a path may exceed a cell.
        let shown = UnsafeBufferPointer(rebasing: utf8[..<SheetText.prefix(utf8, length: 4000)])
        SheetText.append(shown, to: &text)
      }
      text.append(0)
      let code = text.withUnsafeBytes {
        worksheet_write_string(sheet, 0, UInt16(index), $0.bindMemory(to: CChar.self).baseAddress, format)
      }
      try check(code)
    }
  }

  private func end(
    _ sheet: UnsafeMutablePointer<lxw_worksheet>,
    rows: UInt32,
    columns: Int,
    _ extras: SheetExtras
  ) throws(Failure) {
    worksheet_autofilter(sheet, 0, 0, rows - 1, UInt16(columns - 1))
    if rows > 1, !extras.highlights.isEmpty {
      try check(extras.apply(to: sheet, rows: rows, try highlightFormat()))
    }
    try flush(sheet)
  }

  /// Sends a finished sheet to its temporary file; the library does not check whether writing that succeeded.
  func flush(_ sheet: UnsafeMutablePointer<lxw_worksheet>) throws(Failure) {
    guard let file = sheet.pointee.optimize_tmpfile else { return }
    if fflush(file) != 0 || ferror(file) != 0 {
      throw Failure.cannotWrite(path, errno: errno == 0 ? ENOSPC : errno)
    }
  }

  private func write(
    _ cells: SheetRows.Row,
    _ links: SheetLinks,
    to sheet: UnsafeMutablePointer<lxw_worksheet>,
    row: UInt32
  ) throws(Failure) {
    let dateFormat = workbook?.dateFormat
    let fineDateFormat = workbook?.fineDateFormat
    let doubleFormat = workbook?.doubleFormat
    let integerFormat = workbook?.integerFormat
    let textFormat = workbook?.textFormat
    for (column, cell) in cells {
      let column = UInt16(column)
      let code =
        switch cell {
        case .number(let number, .none): worksheet_write_number(sheet, row, column, number, nil)
        case .number(let number, .date): worksheet_write_number(sheet, row, column, number, dateFormat)
        case .number(let number, .fineDate):
          worksheet_write_number(sheet, row, column, number, fineDateFormat)
        case .number(let number, .double): worksheet_write_number(sheet, row, column, number, doubleFormat)
        case .number(let number, .integer): worksheet_write_number(sheet, row, column, number, integerFormat)
        case .boolean(let truth): worksheet_write_boolean(sheet, row, column, truth ? 1 : 0, nil)
        case .text(let text): worksheet_write_string(sheet, row, column, text, nil)
        case .textLike(let text):
          if let formula = links.formula(for: text, in: Int(column)) {
            worksheet_write_formula_str(sheet, row, column, formula, try linkFormat(), text)
          } else {
            worksheet_write_string(sheet, row, column, text, textFormat)
          }
        case .emptyText: worksheet_write_blank(sheet, row, column, textFormat)
        }
      try check(code)
    }
  }

  func check(_ code: lxw_error) throws(Failure) {
    if code == LXW_NO_ERROR { return }
    throw Failure(
      .internal,
      "write a cell of",
      path: path,
      cause: lxw_strerror(code).map { String(cString: $0) } ?? "libxlsxwriter's error \(code.rawValue)"
    )
  }

  /// Capacity must be checked before: at the end, the library copies the rows without checking for errors.
  private func checkRoom(for rows: borrowing SheetRows, links: Int) throws(Failure) {
    var status = statvfs()
    guard statvfs(temporaryFolder, &status) == 0 else { return }
    let free = Int(
      clamping: UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize)).partialValue
    )
    // The tags of a cell take about 50 bytes, a link with the ID three times about 200 more; there are two
    // copies of the rows while the workbook is assembled.
    let size = rows.bytes + 50 * rows.cellCount + 200 * links * rows.count
    let needed = 2 * size + size / 4
    if free < needed {
      throw Failure.cannotWrite(
        path,
        "\(needed >> 20) MiB are needed in \(temporaryFolder) for a while and \(free >> 20) MiB are free",
        remedy: "Free some disk space, or write elsewhere."
      )
    }
  }
}
