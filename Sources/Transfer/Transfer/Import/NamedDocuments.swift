import FirestoreModels
import Tables

/// The documents of a source that names each of them: JSON Lines or a managed export.
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
  /// - Throws: As ``JSONLinesReader/next()`` and ``ManagedReader/next()``.
  func next() throws(Failure) -> (number: Int, document: Result<RawDocument, Failure>)? {
    if let managed { return try managed.next() }
    return try lines?.next().map { ($0.number, $0.document) }
  }
}

extension ImportSource {
  /// Whether its documents have names, which say where they go.
  var namesItsDocuments: Bool { !listsDeletions && (format == .jsonLines || format == .managed) }
}
