import CXLSXWriter
import Files
import Platform

// The first row of sheets, which may get more columns after the other rows are written.

extension XLSXWriter {
  /// Writes headings into the first row.
  func write(_ header: [String], to sheet: UnsafeMutablePointer<lxw_worksheet>) throws(Failure) {
    guard let format = headingFormat else { return }
    for (index, heading) in header.enumerated() {
      // A field name has at most 1,500 bytes, but a path may exceed a cell.
      try SheetText.withCell(heading) { text throws(Failure) in
        try check(worksheet_write_string(sheet, 0, UInt16(index), text, format))
      }
    }
  }

  /// Writes the first row again, with the columns that appeared later, and copies the rows after it.
  ///
  /// In constant memory, the library accepts rows only in order, so meanwhile it writes into an empty row and another file.
  func rewriteHeader(of target: SheetTarget, _ header: [String]) throws(Failure) {
    let sheet = target.sheet
    guard let rows = sheet.pointee.optimize_tmpfile, let last = sheet.pointee.optimize_row,
      let lastCells = sheet.pointee.array
    else { return }
    try flush(sheet)
    let made = try FilePaths.createTemporary(beside: "\(temporaryFolder)/gymmigrate-sheet", reporting: path)
    unlink(made.name)
    guard let file = fdopen(made.descriptor, "w+") else {
      close(made.descriptor)
      throw Failure.cannotWrite(path, errno: errno)
    }
    var first = lxw_row()
    first.height = last.pointee.height
    let cells = UnsafeMutablePointer<UnsafeMutablePointer<lxw_cell>?>.allocate(capacity: Int(LXW_COL_MAX))
    cells.initialize(repeating: nil, count: Int(LXW_COL_MAX))
    defer { cells.deallocate() }
    let written = Result { () throws(Failure) in
      try withUnsafeMutablePointer(to: &first) { first throws(Failure) in
        sheet.pointee.optimize_row = first
        sheet.pointee.array = cells
        sheet.pointee.file = file
        defer {
          sheet.pointee.optimize_row = last
          sheet.pointee.array = lastCells
          sheet.pointee.file = rows
        }
        try write(header, to: sheet)
        lxw_worksheet_write_single_row(sheet)
      }
      try copy(rows, from: target.headerEnd, to: file)
    }
    do throws(Failure) {
      try written.get()
    } catch {
      fclose(file)
      throw error
    }
    sheet.pointee.optimize_tmpfile = file
    sheet.pointee.file = file
    fclose(rows)
  }

  /// Copies the rest of a file.
  private func copy(
    _ source: UnsafeMutablePointer<FILE>,
    from start: Int,
    to target: UnsafeMutablePointer<FILE>
  ) throws(Failure) {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 16)
    defer { buffer.deallocate() }
    fseek(source, start, SEEK_SET)
    while true {
      let count = fread(buffer.baseAddress, 1, buffer.count, source)
      if count == 0 { break }
      if fwrite(buffer.baseAddress, 1, count, target) != count { break }
    }
    if ferror(source) != 0 || ferror(target) != 0 || feof(source) == 0 {
      throw Failure.cannotWrite(path, errno: errno == 0 ? ENOSPC : errno)
    }
  }
}
