import FirestoreModels
import Tables

/// The documents of a source that gives each one's name: JSON Lines or a managed export.
final class NamedDocuments {
  private var lines: JSONLinesReader?
  private let managed: ManagedReader?

  /// Opens a source.
  ///
  /// - Throws: ``Failure`` of kind `inputMissing`.
  init(_ source: ImportSource, via files: FileAccess) throws(Failure) {
    managed = source.managed.map { ManagedReader($0, via: files) }
    lines = managed == nil ? try JSONLinesReader(source.path, via: files) : nil
  }

  /// Returns the number of the next line or document, and the document; nil at the end.
  ///
  /// - Throws: The errors of ``JSONLinesReader/next()`` and ``ManagedReader/next()``.
  func next() throws(Failure) -> (number: Int, document: Result<RawDocument, Failure>)? {
    if let managed { return try managed.next() }
    return try lines?.next().map { ($0.number, $0.document) }
  }
}

extension ImportSource {
  /// Returns how a number of documents differs from the one that the manifest of its folder says; nil if it does not.
  ///
  /// Of a workbook with several sheets, the manifest does not say how many each has.
  func difference(of count: Int) -> String? {
    guard isFromFolder, !listsDeletions, format != .managed, !isOneOfSeveral,
      let entry = manifest?.file(named: FilePaths.name(of: path)), entry.documents != count
    else { return nil }
    return "it has \(count), and the manifest says \(NumberText.counted(entry.documents, "document"))"
  }

  /// The failure for such a difference.
  func incomplete(_ cause: String) -> Failure {
    .malformed(
      label,
      cause,
      remedy:
        "Take another copy of the export; or name the files themselves, which are then read without their manifest."
    )
  }

  /// Whether its documents have names, which determine where they go.
  var namesItsDocuments: Bool { !listsDeletions && (format == .jsonLines || format == .managed) }

  /// Refuses a table, plain JSON or a database, whose documents have to be imported before they can be read by name.
  ///
  /// - Parameter place: The file or folder given by the user.
  /// - Throws: `.inputMalformed`, or the errors of ``InputFormat/init(of:given:via:)``.
  func assertNamesDocuments(in place: String, via files: FileAccess) throws(Failure) {
    guard managed == nil, let what = try foreignKind(files) else { return }
    throw .malformed(
      path,
      "it is \(what), and only JSON Lines and managed exports stand in for a database",
      remedy: what == Self.database
        ? "A mirror that gymmigrate made is mirror:\(place), in --from of 'restore' and 'diff', else in -e; or export with --format jsonl."
        : "Import it into an empty store (gymmigrate import \(place) -e local --state-dir scratch), or export with --format jsonl."
    )
  }

  private static let database = "an SQLite database"

  private func foreignKind(_ files: FileAccess) throws(Failure) -> String? {
    let kind = FileName(path).kind
    let content = try FileHead(path, via: files).content
    if kind == .sqlite || content == .database { return Self.database }
    // The extension decides, because its lines may be damaged.
    if kind == .jsonl { return nil }
    // Exports write only plain JSON under these names.
    if manifest != nil, kind == .json || kind == .ndjson { return "plain JSON" }
    switch try InputFormat(of: path, via: files) {
    case .csv: return "CSV"
    case .xlsx: return "a workbook"
    case .json: return "plain JSON"
    case .jsonLines, .managed: return nil
    }
  }
}
