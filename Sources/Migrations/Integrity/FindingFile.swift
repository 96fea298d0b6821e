package import Files
import Tables

/// A file of findings, as CSV for spreadsheets, a JSON array, or JSON Lines; it is written atomically.
package final class FindingFile {
  package enum Format: String, Sendable, CaseIterable {
    case csv, json, jsonl

    /// Determines the format from a file name, ignoring `.gz`; nil for other extensions.
    package init?(fileName: String) {
      guard let kind = FileName(fileName).kind else { return nil }
      self.init(rawValue: kind.rawValue)
    }
  }

  private let format: Format
  private var file: OutputFile?
  private var isEmpty = true

  /// Starts a file, which is compressed if its name ends in `.gz`.
  ///
  /// - Throws: `.cannotWrite`.
  package init(_ path: String, _ format: Format, via files: FileAccess = .local) throws(Failure) {
    self.format = format
    file = try OutputFile(path, via: files)
    switch format {
    case .csv:
      try file?.write(CSVLineWriter.byteOrderMark + CSVLineWriter.list.bytes(IntegrityFinding.cellNames))
    case .json: try file?.write("[")
    case .jsonl: break
    }
  }

  /// Appends a finding.
  ///
  /// - Throws: `.cannotWrite`.
  package func append(_ finding: IntegrityFinding) throws(Failure) {
    switch format {
    case .csv: try file?.write(finding.row)
    case .json:
      try file?.write(isEmpty ? "\n" : ",\n")
      try file?.write(JSONWriter.bytes { finding.write(to: &$0) })
    case .jsonl: try file?.write(finding.line)
    }
    isEmpty = false
  }

  /// Completes the file and gives it its name.
  ///
  /// - Throws: `.cannotWrite`.
  package func finish() throws(Failure) {
    if format == .json { try file?.write("\n]\n") }
    guard let file = file.take() else { return }
    _ = try file.finish()
  }
}
