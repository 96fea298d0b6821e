package import Files

/// Writes documents as JSON Lines: one REST Document per line in the service's own encoding, with sorted members.
///
/// A line has `fields` (unless empty) and `name`, relative to the database (`users/u1`), but no times, which the service
/// sets. Lines end with LF. The format is lossless. A file may contain several collections.
package final class JSONLinesWriter: CollectionWriter {
  package private(set) var documentCount = 0
  package private(set) var receipt: OutputFile.Receipt?

  private var file: OutputFile?
  private var json = JSONWriter(capacity: chunk + (16 << 10))

  /// Starts a file (`-` is standard output; `.gz` compresses).
  ///
  /// - Throws: ``Failure`` of kind `cannotWrite`.
  package init(_ path: String, digest: Bool = false, via files: FileAccess = .local) throws(Failure) {
    file = try OutputFile(path, digest: digest, via: files)
  }

  package func append(_ page: DocumentPage) throws(Failure) {
    switch page {
    case .memory(let documents):
      for document in documents {
        json.line(document)
        try passOn()
      }
    case .wire(let page):
      for document in page.documents {
        do throws(WireError) {
          try json.line(document)
        } catch {
          json.line(try page.decoded(document))
        }
        try passOn()
      }
    }
    try passOn(all: true)
    documentCount += page.count
  }

  /// Writes the lines so far if they are long enough for the file to write them without copying.
  private func passOn(all: Bool = false) throws(Failure) {
    guard json.bytes.count >= Self.chunk || (all && !json.bytes.isEmpty) else { return }
    try file?.write(json.bytes)
    json.removeAll()
  }

  private static let chunk = 128 << 10

  /// Completes the file under its final name.
  ///
  /// - Throws: ``Failure`` of kind `cannotWrite`.
  package func finish() throws(Failure) {
    guard let file = file.take() else { return }
    receipt = try file.finish()
  }
}
