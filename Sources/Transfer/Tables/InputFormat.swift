package import Files
package import FirestoreModels

/// The format of an input file.
package enum InputFormat: String, Codable, Sendable, CaseIterable {
  /// JSON Lines of REST Documents.
  case jsonLines = "jsonl"
  /// JSON of any other form.
  case json
  case csv, xlsx
  /// The folder of a managed export.
  case managed

  /// Determines the format of a file by its first bytes and its name.
  ///
  /// A workbook is recognized by either, CSV by its name, and JSON by its first bytes. Failing that, a file is JSON Lines
  /// if its name says JSON, and CSV if it is text. It is JSON Lines if nothing is conclusive, as for a pipe.
  ///
  /// - Parameter format: The format, if given.
  /// - Throws: ``Failure`` of kind `inputMalformed` for a spreadsheet or page that must be converted; for a remote address,
  ///   the errors of ``FileHead/init(_:via:)``.
  package init(
    of path: String,
    given format: InputFormat? = nil,
    via files: FileAccess = .local
  ) throws(Failure) {
    if let format {
      self = format
      return
    }
    let kind = FileName(path).kind
    let head = try FileHead(path, via: files)
    let content = head.content
    if LogFormat.isLog(head.bytes) { throw Self.partOfExport(path) }
    if let refusal = Self.refusal(of: path, kind, content) { throw refusal }
    if content == .json, head.isPlan { throw Self.plan(path) }
    switch (kind, content) {
    case (_, .workbook?), (.xlsx?, _), (.xlsm?, _): self = .xlsx
    case (.csv?, _), (.tsv?, _), (.psv?, _): self = .csv
    case (_, .json?): self = Self.holdsLines(head, kind) ? .jsonLines : .json
    case (.jsonl?, _), (.ndjson?, _), (.json?, _): self = .jsonLines
    case (_, .text?): self = .csv
    default: self = .jsonLines
    }
  }

  /// Whether it is a table: CSV or a workbook.
  package var isTable: Bool { self == .csv || self == .xlsx }

  /// Whether JSON begins with a line that is a REST Document or a reject; if the line is not JSON, the file's name decides.
  private static func holdsLines(_ head: FileHead, _ kind: FileName.Kind?) -> Bool {
    let text = head.bytes.drop { $0 != UInt8(ascii: "{") && $0 != UInt8(ascii: "[") }
    let line = text.prefix { $0 != 0x0A }
    if line.count == text.count, head.isCut {
      return ["{\"fields\":", "{\"name\":", "{\"code\":", "{\"createTime\":"].contains {
        line.starts(with: $0.utf8)
      }
    }
    let isDocument = try? JSONParser().parse(Array(line)) { json in
      json["__name__"] == nil
        && (json["name"]?.string?.utf8.contains(UInt8(ascii: "/")) ?? false || json["fields"]?.kind == .object
          || (json["code"] != nil && json["path"] != nil))
    }
    return isDocument ?? (kind == .jsonl || kind == .ndjson)
  }

  /// The format of a file in a folder by its name; nil for one that is only read if it is named explicitly.
  package init?(inFolder name: String) {
    switch FileName(name).kind {
    case .jsonl, .ndjson: self = .jsonLines
    case .json: self = .json
    case .csv, .tsv, .psv: self = .csv
    case .xlsx, .xlsm: self = .xlsx
    default: return nil
    }
  }

  private static func plan(_ path: String) -> Failure {
    .malformed(
      path,
      "it is a plan of changes, which holds no documents",
      remedy: "Apply it with 'gymmigrate migrate apply --plan FILE'."
    )
  }

  private static func partOfExport(_ path: String) -> Failure {
    .malformed(
      path,
      "it is a file of a managed export, which is read as a whole",
      remedy: "Name the folder with *\(ManagedExport.ending)."
    )
  }

  /// Returns the failure for a file that another program must convert; nil for any other file.
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
    case (_, .database?), (.sqlite?, nil):
      .malformed(
        path,
        "it is a SQLite database, which is not imported",
        remedy:
          "If gymmigrate made it: 'gymmigrate export --all -e mirror:\(path) -o FILE.jsonl' makes a file that is imported, and 'gymmigrate mirror push' writes what was changed in it."
      )
    case (_, .foreign?):
      .malformed(
        path,
        "it is a picture, a PDF or an archive, and no table",
        remedy: "Name a file of JSON, CSV or a workbook, or a folder of these."
      )
    case (_, .text?) where path.hasSuffix(".yaml") || path.hasSuffix(".yml"):
      .malformed(
        path,
        "it is YAML, and no table",
        remedy: "Name a file of JSON, CSV or a workbook, or a folder of these."
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

extension FileHead {
  /// Whether it begins with a change of `migrate plan -o`, or with as much of one as fits.
  fileprivate var isPlan: Bool {
    let line = bytes.prefix { $0 != 0x0A }
    if line.count == bytes.count, isCut {
      return ["{\"after\":{\"", "{\"before\":{\""].contains { line.starts(with: $0.utf8) }
    }
    let isPlan = try? JSONParser().parse(Array(line)) { json in
      json["migration"]?.string != nil && json["path"]?.string != nil && json["server"] != nil
        && (json["after"] != nil || json["before"] != nil)
    }
    return isPlan ?? false
  }
}
