public import Models

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Where the files of an export go.
public struct ExportLayout: Sendable, Equatable {
  /// Their format.
  public let format: ExportFormat
  /// Whether everything goes to one file (or to standard output).
  public let isOneFile: Bool
  private let output: String
  private let suffix: String

  /// Works out what `-o` and `--format` mean for so many collections.
  ///
  /// `-` is standard output. A folder (one that is there, or a name with a slash at its end, or any name where
  /// several collections are to go to files of their own) gets `users.csv` and so on; a workbook holds them all.
  ///
  /// - Throws: `.usage` where they do not go together, `.cannotWrite` where the place cannot be written.
  public init(output: String, format: ExportFormat?, collections: Int) throws(Failure) {
    guard let format = format ?? ExportFormat(fileName: output) else {
      throw Failure(
        .usage, "choose the format of", path: output, cause: "its name does not tell it",
        remedy: "Give --format csv, xlsx or jsonl.")
    }
    self.format = format
    let named = ExportFormat(fileName: output) != nil
    let isFolder = Self.isFolder(output)
    switch format {
    case .xlsx: isOneFile = output == "-" || !isFolder
    case .jsonl: isOneFile = output == "-" || (!isFolder && (named || collections == 1))
    case .csv:
      isOneFile = output == "-" || (!isFolder && collections == 1)
      if collections > 1, output == "-" || (named && !isFolder) {
        throw Failure(
          .usage, "export to", path: output, cause: "one CSV file holds one collection",
          remedy: "Name a folder, or export to .xlsx or .jsonl.")
      }
    }
    suffix = output.hasSuffix(".gz") ? ".gz" : ""
    self.output = output != "/" && output.hasSuffix("/") ? String(output.dropLast()) : output
  }

  /// The folder that gets a manifest; nil for a single file or a workbook.
  public var folder: String? { isOneFile || format == .xlsx ? nil : output }

  /// The file of a collection; of all of them where there is one file.
  public func path(of collection: CollectionPath?) -> String {
    if isOneFile { return output }
    return "\(output)/\(collection.map(fileName) ?? "export.\(format.rawValue)")"
  }

  /// The name of a collection's file: its path, with `~` between segments.
  public func fileName(of collection: CollectionPath) -> String {
    let segments = collection.string.split(separator: "/").map {
      PercentEncoding.query(String($0)).replacing("~", with: "%7E")
    }
    return "\(segments.joined(separator: "~")).\(format.rawValue)\(suffix)"
  }

  /// Makes the folder where it is missing and finds out whether every file can be written, before anything is read.
  ///
  /// - Throws: `.cannotWrite`.
  public func prepare(for collections: [CollectionPath]) throws(Failure) {
    if !isOneFile, mkdir(output, 0o777) != 0, errno != EEXIST {
      throw Failure.cannotWrite(output, errno: errno)
    }
    let paths = isOneFile || format == .xlsx ? [path(of: nil)] : collections.map { path(of: $0) }
    for path in paths where path != "-" { try OutputFile.checkWritable(path) }
  }

  private static func isFolder(_ path: String) -> Bool {
    path.hasSuffix("/") || (SystemCall.status(path).status?.isFolder ?? false)
  }
}
