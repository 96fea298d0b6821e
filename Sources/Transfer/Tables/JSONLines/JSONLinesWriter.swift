package import Files
package import FirestoreModels

/// Writes documents as JSON Lines: one REST Document per line in the service's own encoding, with sorted
/// members.
///
/// A line has `fields` (unless empty) and `name`, relative to the database (`users/u1`), but no times, which
/// the service sets. Lines end with LF. The format is lossless. One file may contain several collections.
package final class JSONLinesWriter: CollectionWriter {
  package private(set) var documentCount = 0
  /// The receipt of the finished file.
  package private(set) var receipt: OutputFile.Receipt?

  private var file: OutputFile?
  private var json = JSONWriter(capacity: 4 << 10)

  /// Starts a file (`-` is standard output; `.gz` compresses).
  ///
  /// - Throws: ``Failure`` of kind `cannotWrite`.
  package init(
    _ path: String,
    digest: Bool = false,
    via files: FileAccess = .local
  ) throws(Failure) {
    file = try OutputFile(path, digest: digest, via: files)
  }

  /// Appends a page of documents.
  ///
  /// - Throws: ``Failure`` of kind `cannotWrite`; the writer cannot be used again.
  package func append(contentsOf documents: [RawDocument]) throws(Failure) {
    for document in documents {
      json.removeAll()
      json.document(document, in: nil, times: false)
      json.bytes.append(UInt8(ascii: "\n"))
      try file?.write(json.bytes)
    }
    documentCount += documents.count
  }

  /// Completes the file under its final name.
  ///
  /// - Throws: ``Failure`` of kind `cannotWrite`.
  package func finish() throws(Failure) {
    guard let file = file.take() else { return }
    receipt = try file.finish()
  }
}
