package import Files
package import FirestoreModels

/// Writes documents as JSON Lines: one REST Document a line, in the service's own encoding, members sorted.
///
/// A line has `fields` (where there are any) and `name`, relative to the database (`users/u1`); no times, which are the
/// service's to set. Lines end in LF. Nothing can be lost and nothing is invented. One file may take the
/// documents of several collections.
package final class JSONLinesWriter: CollectionWriter {
  /// The documents taken so far.
  package private(set) var documentCount = 0
  /// What became of the file, once finished.
  package private(set) var receipt: OutputFile.Receipt?

  private var file: OutputFile?
  private var json = JSONWriter(capacity: 4 << 10)

  /// Starts a file (`-` is standard output; `.gz` compresses).
  ///
  /// - Throws: ``Failure`` of kind `cannotWrite`.
  package init(_ path: String, digest: Bool = false) throws(Failure) {
    file = try OutputFile(path, digest: digest)
  }

  /// Takes a page of documents.
  ///
  /// - Throws: ``Failure`` of kind `cannotWrite`; the writer is of no more use then.
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
