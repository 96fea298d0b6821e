package import FirestoreModels

/// Reads a table row by row, whatever it is kept in: CSV, also compressed with gzip, or a sheet of an XLSX workbook.
///
/// Rows that hold nothing are passed over. Memory is that of the longest row, and some MiB for the texts of a workbook.
package struct TableReader: ~Copyable {
  /// What a table is kept in.
  package enum Format: String, Sendable, CaseIterable {
    case csv, xlsx

    /// The format of a file: by its ending, else by its first bytes; CSV where neither tells.
    package init(of path: String) {
      if path.hasSuffix(".xlsx") {
        self = .xlsx
      } else if path.hasSuffix(".csv") || path.hasSuffix(".csv.gz") || path.hasSuffix(".tsv") {
        self = .csv
      } else {
        self = path != "-" && XLSXPackage.isZIP(path) ? .xlsx : .csv
      }
    }
  }

  /// What the last call of ``next()`` read.
  package private(set) var row = CellRow()
  /// Bytes of the file, or of the sheet's part of the workbook, up to the end of the row, as they are on the disk.
  package private(set) var position = 0
  /// The path of the file.
  package let path: String
  // One of the two.
  private var csv: CSVReader?
  private var xlsx: XLSXSheetReader?

  /// Opens a table.
  ///
  /// - Parameters:
  ///   - path: The file; for CSV also `-`.
  ///   - format: What it is; nil tells it by ``Format/init(of:)``.
  ///   - sheet: The name of the sheet; the first that is not hidden where nil.
  ///   - delimiter: What parts the cells of CSV; nil finds out.
  /// - Throws: ``Failure`` of kind `inputMissing`, or `inputMalformed`, also for a sheet that is not there.
  package init(
    _ path: String,
    format: Format? = nil,
    sheet: String? = nil,
    delimiter: CSVOptions.Delimiter? = nil
  ) throws(Failure) {
    self.path = path
    switch format ?? Format(of: path) {
    case .csv:
      csv = try CSVReader(path, delimiter: delimiter ?? (path.hasSuffix(".tsv") ? .tab : nil))
    case .xlsx:
      let package = try XLSXPackage(path)
      let found = package.sheets.first { found in
        sheet.map { found.name.isIdentical(to: $0) } ?? !found.isHidden
      }
      guard let found = found ?? (sheet == nil ? package.sheets.first : nil) else {
        throw Failure(
          .inputMalformed,
          "read",
          path: path,
          cause: sheet.map { "it has no sheet '\($0)'" } ?? "it has no sheet of cells"
        )
      }
      xlsx = try XLSXSheetReader(found, of: package)
    }
  }

  /// The names of a workbook's sheets, in their order, and whether they are hidden.
  ///
  /// - Throws: ``Failure`` of kind `inputMissing` or `inputMalformed`.
  package static func sheets(of path: String) throws(Failure) -> [(name: String, isHidden: Bool)] {
    try XLSXPackage(path).sheets.map { ($0.name, $0.isHidden) }
  }

  /// Reads the next row that holds something into ``row``; false at the end.
  ///
  /// - Throws: ``Failure`` of kind `inputMalformed` that names file, row and column, `inputMissing` where the disk gives
  ///   trouble.
  package mutating func next() throws(Failure) -> Bool {
    // Also of a record that cannot be taken apart.
    defer { position = csv?.position ?? xlsx?.position ?? 0 }
    if try csv?.next() ?? false {
      if let record = csv?.record { row.take(record) }
      return true
    }
    return try xlsx?.next(&row) ?? false
  }
}
