import Files
import TypedDocuments

/// A document that was deleted between two exports of a folder, as a line of the list of the later one.
///
///     {"lastSeen":"2026-11-20T08:00:00Z","name":"users/u1"}
package struct DeletedDocument: JSONRecord {
  /// The moment of the last export that would have told of its deletion; nil where none was of one moment.
  var lastSeen: Timestamp?
  @Text var name: DocumentPath

  /// The name of the list in the folder of an export that has a file for each of some collections.
  ///
  /// A collection `deleted` has a file of the usual name. No collection has one of the other name: two digits follow each `%` there.
  static func fileName(beside files: some Sequence<String>) -> String {
    let name = "deleted.jsonl"
    return files.contains { $0.isIdentical(to: name) } ? "deleted%.jsonl" : name
  }
}

/// The list of documents that were deleted, from its first line.
struct DeletedDocuments: ~Copyable {
  /// More than the longest name takes.
  private static let maximumLineBytes = 64 << 10

  private var lines: LineReader
  private let parser = JSONParser(maximumBytes: maximumLineBytes + 64)

  /// - Throws: ``Failure`` of kind `inputMissing`.
  init(_ path: String, via files: FileAccess) throws(Failure) {
    lines = try LineReader(path, maximumLineBytes: Self.maximumLineBytes, via: files)
  }

  /// The number of the line, from 1.
  var number: Int { lines.number }

  /// The offset of the end of the line.
  var position: Int { lines.position }

  /// Returns the next document; nil at the end.
  ///
  /// - Throws: ``Failure`` of kind `inputMalformed` for a line that is none, `inputMissing` for a read error.
  mutating func next() throws(Failure) -> DeletedDocument? {
    guard try lines.advance() else { return nil }
    return try lines.withJSON(parser) { json throws(WireError) in try DeletedDocument(json) }
  }
}
