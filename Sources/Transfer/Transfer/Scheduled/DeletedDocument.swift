import Files
import TypedDocuments

/// A document that was deleted between two exports of a folder, as a line in the list of the later export.
///
///     {"lastSeen":"2026-11-20T08:00:00Z","name":"users/u1"}
package struct DeletedDocument: JSONRecord {
  /// The read time of the last export that would have shown its deletion; nil if that had no single read time.
  var lastSeen: Timestamp?
  @Text var name: DocumentPath

  /// Returns the name of the list in an export folder that has the given files.
  ///
  /// A file of a collection named `deleted` may have the usual name. No collection's file has the alternative one, because
  /// there two digits follow each `%`.
  static func fileName(beside files: some Sequence<String>) -> String {
    let name = "deleted.jsonl"
    return files.contains { $0.isIdentical(to: name) } ? "deleted%.jsonl" : name
  }
}

/// Reads the list of deleted documents, from its first line.
struct DeletedDocuments: ~Copyable {
  /// More than the longest name needs.
  private static let maximumLineBytes = 64 << 10

  private var lines: LineReader
  private let parser = JSONParser(maximumBytes: maximumLineBytes + 64)

  /// - Throws: ``Failure`` of kind `inputMissing`.
  init(_ path: String, via files: FileAccess) throws(Failure) {
    lines = try LineReader(path, maximumLineBytes: Self.maximumLineBytes, via: files)
  }

  /// The number of the current line, from 1.
  var number: Int { lines.number }

  /// The offset of the end of the current line.
  var position: Int { lines.position }

  /// Returns the next document; nil at the end.
  ///
  /// - Throws: ``Failure`` of kind `inputMalformed` for an invalid line, `inputMissing` for a read error.
  mutating func next() throws(Failure) -> DeletedDocument? {
    guard try lines.advance() else { return nil }
    return try lines.withJSON(parser) { json throws(WireError) in try DeletedDocument(json) }
  }
}
