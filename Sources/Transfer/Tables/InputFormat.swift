import Files
package import FirestoreModels

/// The format of a file that is read.
package enum InputFormat: String, Codable, Sendable, CaseIterable {
  case jsonLines = "jsonl"
  case csv, xlsx

  /// Determines the format of a file: of a workbook by its first bytes, of any other by its name, else by its first bytes;
  /// JSON Lines if neither says anything, as of a pipe.
  ///
  /// - Parameter format: The format, if it is given.
  /// - Throws: ``Failure`` of kind `inputMalformed` for a spreadsheet or page that has to be converted.
  package init(of path: String, given format: InputFormat? = nil) throws(Failure) {
    if let format {
      self = format
      return
    }
    let kind = FileName(path).kind
    let content = FileHead(path).content
    if let refusal = Self.refusal(of: path, kind, content) { throw refusal }
    switch (kind, content) {
    case (_, .workbook?), (.xlsx?, _), (.xlsm?, _): self = .xlsx
    case (.jsonl?, _), (.ndjson?, _), (.json?, _): self = .jsonLines
    case (.csv?, _), (.tsv?, _), (.psv?, _), (_, .text?): self = .csv
    default: self = .jsonLines
    }
  }

  /// The format of a file in a folder by its name; nil for one that is not read unless it is named itself.
  package init?(inFolder name: String) {
    switch FileName(name).kind {
    case .jsonl, .ndjson: self = .jsonLines
    case .csv, .tsv, .psv: self = .csv
    case .xlsx, .xlsm: self = .xlsx
    default: return nil
    }
  }

  /// Returns the failure of a file that another program has to convert; nil for any other.
  static func refusal(of path: String, _ kind: FileName.Kind?, _ content: FileHead.Content?) -> Failure? {
    switch (kind, content) {
    case (_, .oldWorkbook?), (.xls?, nil):
      .malformed(
        path,
        "it is an old .xls workbook, or protected by a password",
        remedy: "Save it as .xlsx without a password (libreoffice --convert-to xlsx FILE)."
      )
    case (_, .openDocument?), (.ods?, nil):
      .malformed(
        path,
        "it is an OpenDocument spreadsheet",
        remedy: "Save it as .xlsx (libreoffice --convert-to xlsx FILE)."
      )
    case (_, .markup?):
      .malformed(
        path,
        "it is a page of HTML or XML, whatever its name",
        remedy: "Open it in a spreadsheet and save it as .xlsx or CSV."
      )
    default: nil
    }
  }
}
