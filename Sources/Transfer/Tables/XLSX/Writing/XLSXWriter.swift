import CXLSXWriter
package import Files
import Platform

/// Writes a workbook with one sheet per collection, through libxlsxwriter in constant memory.
///
///     let workbook = try XLSXWriter("gym.xlsx", options: XLSXOptions(timeZone: LocalTimeZone(named: "UTC")))
///     let sheet = try workbook.sheet(for: CollectionPath(nil, "users"))
///     for try await page in client.pages(of: read) { try sheet.append(contentsOf: page) }
///     try sheet.finish()
///     try workbook.finish()
///
/// Sheets are in the order in which their writers were created. Further sheets of a collection with more than 1,048,575
/// documents, `long texts`, and the hidden `_exact` are at the end. A writer that is dropped before ``finish()`` leaves no
/// files behind.
///
/// A workbook is meant for people. What its cells cannot represent is in the hidden sheet (``ExactValues``): types other
/// than the column's; digits beyond the 15th, as libxlsxwriter writes 16 and LibreOffice saves 15; and which empty cells
/// are empty texts. JSON Lines keeps everything.
package final class XLSXWriter {
  /// Excel's limit of rows per sheet, including the header.
  package static let maximumRows = 1_048_576
  static let longTextsName = "long texts"

  package private(set) var receipt: OutputFile.Receipt?

  let options: XLSXOptions
  let path: String
  let digest: Bool
  let files: FileAccess
  let temporaryFolder: String
  private let rowsPerSheet: Int
  private let target: String?
  let temporary: String
  private var formats: [String: UnsafeMutablePointer<lxw_format>] = [:]
  private var temporaryIsLeft = true
  private(set) var workbook: Workbook?
  private var names = SheetNames()
  /// The names of the sheets to come, by their collections.
  private var announced: [UTF8Key: String] = [:]
  /// The collections whose sheets exist.
  private var begun: Set<UTF8Key> = []
  private let thread = LibraryThread()
  /// The texts that are too long for a cell, for the last sheet.
  var longTexts: LongTexts
  /// The values that their cells cannot represent exactly, for the hidden sheet.
  var exactValues: ExactValues

  /// Starts a workbook (`-` is standard output).
  ///
  /// - Parameter digest: Whether the receipt includes the SHA-256 of the file.
  /// - Throws: ``Failure`` of kind `cannotWrite`.
  package init(
    _ path: String,
    options: XLSXOptions,
    digest: Bool = false,
    rowsPerSheet: Int = XLSXWriter.maximumRows,
    via files: FileAccess = .local
  ) throws(Failure) {
    try files.checkWritable(path)
    self.path = path
    self.options = options
    self.digest = digest
    self.files = files
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
      workbook = try Workbook.start(made.name, temporaryFolder: folder)
    } catch {
      unlink(made.name)
      throw error
    }
  }

  deinit {
    thread.stop()
    if temporaryIsLeft { unlink(temporary) }
  }

  /// Announces the sheets of collections, so that earlier sheets can link to them.
  ///
  /// Each of these sheets must be added afterwards; the names are reserved now.
  package func announce(_ collections: [CollectionPath]) {
    for collection in collections where announced[UTF8Key(collection.string)] == nil {
      announced[UTF8Key(collection.string)] = names.unique(collection.string)
    }
  }

  /// Returns a writer for the next sheet.
  ///
  /// - Parameters:
  ///   - collection: The collection, whose path names the sheet.
  ///   - fields: The columns; if nil, those of the catalogue and any further fields.
  ///   - isOnly: Whether the writer also completes the workbook, and so has its receipt.
  /// - Throws: ``Failure`` of kind `cannotWrite` or `usage`.
  package func sheet(
    for collection: CollectionPath,
    fields: [FieldPath]? = nil,
    isOnly: Bool = false
  ) throws(Failure) -> any CollectionWriter {
    let isFirst = begun.insert(UTF8Key(collection.string)).inserted
    let announced = isFirst ? announced[UTF8Key(collection.string)] : nil
    let sheetName = announced ?? names.unique(collection.string)
    let first = try addSheet(named: sheetName, of: collection)
    let cells = try SheetCells(collection: collection, fields: fields, sheet: sheetName, options: options)
    return SheetWriter(cells, of: collection, in: self, first: first, name: sheetName, isOnly: isOnly)
  }

  /// Waits until the library's thread is idle, so that another thread may call the library.
  ///
  /// - Throws: The failure of earlier rows.
  func drain() throws(Failure) { try thread.drain() }

  /// Adds a report sheet as the next one and returns its writer.
  ///
  /// - Throws: ``Failure`` of kind `cannotWrite`.
  package func summary(named name: String) throws(Failure) -> SummaryWriter {
    let name = names.unique(name)
    return SummaryWriter(of: self, try addSheet(named: name), named: name)
  }

  /// Completes the workbook after all of its sheets; this takes most of the time.
  ///
  /// - Throws: ``Failure`` of kind `cannotWrite`.
  package func finish() throws(Failure) {
    guard workbook != nil else { return }
    try thread.drain()
    try write(&longTexts.rows, LongTexts.columns, named: Self.longTextsName)
    try write(&exactValues.rows, ExactValues.columns, named: ExactValues.sheetName, isHidden: true)
    try workbook.take()?.close(reporting: path)
    if let target {
      receipt = try publish(as: target)
    } else {
      receipt = try copyOut()
      unlink(temporary)
    }
    temporaryIsLeft = false
  }

  // MARK: Sheets

  /// Adds another sheet of a collection, or of the workbook's own rows.
  func addSheet(
    after name: String,
    of collection: CollectionPath? = nil
  ) throws(Failure) -> UnsafeMutablePointer<lxw_worksheet> {
    try addSheet(named: names.unique(name), of: collection)
  }

  /// The maximum number of rows of a sheet, without its header.
  var documentsPerSheet: Int { rowsPerSheet - 1 }

  private func addSheet(
    named name: String,
    of collection: CollectionPath? = nil
  ) throws(Failure) -> UnsafeMutablePointer<lxw_worksheet> {
    try thread.drain()
    guard let sheet = try workbook?.addSheet(named: name) else {
      throw Failure(.internal, "add a sheet to", path: path, cause: "the workbook is finished")
    }
    if let collection {
      let marks = options.marks(of: collection, inSheet: name) + (options.isView ? [SheetMark.view] : [])
      for mark in SheetMark.names(of: collection, inSheet: name) + marks {
        try workbook?.defineName(mark, ofSheet: name)
      }
    }
    return sheet
  }

  /// Writes rows, if there are any, to a sheet and, beyond its limit, to further ones.
  private func write(
    _ rows: inout SheetRows,
    _ columns: SheetColumns,
    named wanted: String,
    isHidden: Bool = false
  ) throws(Failure) {
    if rows.count == 0 { return }
    let name = names.unique(wanted)
    try checkRoom(Self.room(forBytes: rows.bytes, cells: rows.cellCount))
    var target = try begin(addSheet(named: name), columns, isHidden: isHidden)
    try rows.read { cells throws(Failure) in
      if Int(target.row) == rowsPerSheet {
        try end(target, columns)
        target = try begin(addSheet(after: name), columns, isHidden: isHidden)
      }
      try target.write(cells)
    }
    try end(target, columns)
  }

  /// Writes rows of ``RowBytes`` to a sheet, after the earlier ones.
  ///
  /// - Throws: The failure of these rows or of earlier ones.
  func write(_ rows: [UInt8], to target: SheetTarget) throws(Failure) {
    try thread.run { () throws(Failure) in try target.write(rows) }
  }

  /// Begins a sheet with its header, to which columns may be added until the sheet ends.
  func begin(
    _ sheet: UnsafeMutablePointer<lxw_worksheet>,
    _ columns: SheetColumns,
    isHidden: Bool = false
  ) throws(Failure) -> SheetTarget {
    try thread.drain()
    let links = options.links ? SheetLinks(columns.extras, to: announced) : nil
    var formats = workbook?.cellFormats ?? CellFormats()
    if links != nil { formats.link = try linkFormat() }
    if isHidden { worksheet_hide(sheet) }
    worksheet_freeze_panes(sheet, 1, 0)
    for (index, code) in columns.numberFormats.enumerated() {
      // Cells without their own format take that of their column. The width is set at the end.
      guard let code else { continue }
      worksheet_set_column(sheet, UInt16(index), UInt16(index), 8, try numberFormat(code))
    }
    try write(columns.header, to: sheet)
    lxw_worksheet_write_single_row(sheet)
    return SheetTarget(
      sheet,
      header: columns.header,
      headerEnd: sheet.pointee.optimize_tmpfile.map { ftell($0) } ?? 0,
      formats: formats,
      links: links,
      path: path
    )
  }

  /// Completes a sheet with the final header.
  func end(_ target: SheetTarget, _ columns: SheetColumns) throws(Failure) {
    try thread.drain()
    let sheet = target.sheet
    let (header, formats) = (columns.header, columns.numberFormats)
    for index in header.indices {
      let code = index < formats.count ? formats[index] : nil
      let own = try code.flatMap { code throws(Failure) in try numberFormat(code) }
      worksheet_set_column(sheet, UInt16(index), UInt16(index), columns.widths[index], own)
    }
    if header != target.header { try rewriteHeader(of: target, header) }
    worksheet_autofilter(sheet, 0, 0, target.row - 1, UInt16(header.count - 1))
    if target.row > 1, !columns.extras.highlights.isEmpty {
      // Black on yellow.
      let highlight = try format("highlight") { format_set_bg_color($0, 0xFFEB9C) }
      try check(columns.extras.apply(to: sheet, rows: target.row, highlight))
    }
    try flush(sheet)
    try checkRoom(forFile: sheet)
  }

  /// The format of headings; nil once the workbook is finished.
  var headingFormat: UnsafeMutablePointer<lxw_format>? { workbook?.headingFormat }

  /// Returns the format of that name, which `set` defines on first use; nil once the workbook is finished.
  func format(
    _ name: String,
    _ set: (UnsafeMutablePointer<lxw_format>) -> Void
  ) throws(Failure) -> UnsafeMutablePointer<lxw_format>? {
    if let known = formats[name] { return known }
    guard let made = try workbook?.addFormat() else { return nil }
    set(made)
    formats[name] = made
    return made
  }

  /// Returns the format of links, which is text, so that an ID typed over another remains text.
  private func linkFormat() throws(Failure) -> UnsafeMutablePointer<lxw_format>? {
    try format("link") {
      format_set_num_format($0, "@")
      format_set_font_color($0, 0x0563C1)
      format_set_underline($0, UInt8(LXW_UNDERLINE_SINGLE.rawValue))
    }
  }

  /// Returns the format of numbers with the given code, such as `0.00`.
  private func numberFormat(_ code: String) throws(Failure) -> UnsafeMutablePointer<lxw_format>? {
    try format("number \(code)") { format_set_num_format($0, code) }
  }

  /// Flushes a finished sheet to its temporary file; the library does not check whether writing to it succeeded.
  func flush(_ sheet: UnsafeMutablePointer<lxw_worksheet>) throws(Failure) {
    guard let file = sheet.pointee.optimize_tmpfile else { return }
    if fflush(file) != 0 || ferror(file) != 0 {
      throw Failure.cannotWrite(path, errno: errno == 0 ? ENOSPC : errno)
    }
  }

  func check(_ code: lxw_error) throws(Failure) { try Self.check(code, path) }

  static func check(_ code: lxw_error, _ path: String) throws(Failure) {
    if code == LXW_NO_ERROR { return }
    throw Failure(
      .internal,
      "write a cell of",
      path: path,
      cause: lxw_strerror(code).map { String(cString: $0) } ?? "libxlsxwriter's error \(code.rawValue)"
    )
  }

  // Space must be checked in advance: at the end, the library copies the rows without checking for errors.

  /// Returns the space that rows need, in bytes.
  static func room(forBytes bytes: Int, cells: Int) -> Int {
    // The tags of a cell take about 50 bytes; there are two copies of the rows while the workbook is assembled.
    let size = bytes.addingClamped(cells.multipliedClamped(by: 50))
    return size.multipliedClamped(by: 2).addingClamped(size / 4)
  }

  /// - Parameter sheet: A sheet with all its rows, which will be copied and compressed.
  private func checkRoom(forFile sheet: UnsafeMutablePointer<lxw_worksheet>) throws(Failure) {
    let size = sheet.pointee.optimize_tmpfile.map { ftell($0) } ?? 0
    try checkRoom(size.addingClamped(size / 4))
  }

  private func checkRoom(_ needed: Int) throws(Failure) {
    guard let free = FilePaths.freeBytes(in: temporaryFolder), free < needed else { return }
    throw Failure.cannotWrite(
      path,
      "\(needed >> 20) MiB are needed in \(temporaryFolder) for a while and \(free >> 20) MiB are free",
      remedy: "Free some disk space, or write elsewhere."
    )
  }
}
