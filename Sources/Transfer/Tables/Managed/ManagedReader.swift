package import Files
package import FirestoreModels

/// Reads the documents of a managed export, file by file, in no order.
///
///     if let export = try ManagedExport(at: "2026-01-31") {
///       let reader = ManagedReader(export)
///       while let (number, document) = try reader.next() { print(number, try document.get().path) }
///     }
package final class ManagedReader {
  private let export: ManagedExport
  private let files: FileAccess
  private var log: LogReader?
  private var file = 0
  /// The bytes of the files that were read to their end.
  private var before = 0
  private var number = 0

  package init(_ export: ManagedExport, via files: FileAccess = .local) {
    (self.export, self.files) = (export, files)
  }

  /// The bytes of the files that were read.
  package var position: Int { before + (log?.position ?? 0) }

  /// Returns the number of the next document, from 1, and the document; nil at the end.
  ///
  /// - Throws: `.inputMalformed` with file and block for what is damaged, and where documents are missing; `.inputMissing` for a
  ///   file that is.
  package func next() throws(Failure) -> (number: Int, document: Result<RawDocument, Failure>)? {
    guard try advance() else { return nil }
    do throws(WireError) {
      let read = try log?.withRecord { bytes throws(WireError) in try EntityDecoder.document(bytes) }
      guard let (database, document) = read else { return nil }
      guard export.database == nil || database == export.database else {
        throw WireError("it is of another database (\(database)) than the first")
      }
      return (number, .success(document))
    } catch {
      let place = "record \(log?.number ?? 0) (block \(log?.blockNumber ?? 0))"
      return (number, .failure(.malformed(log?.path ?? export.path, "\(place): \(error)")))
    }
  }

  /// Skips documents without decoding them.
  ///
  /// - Throws: As ``next()``.
  package func skip(through number: Int) throws(Failure) {
    while self.number < number {
      if try advance() { continue }
      throw .malformed(export.path, "it has fewer than \(number) documents")
    }
  }

  private func advance() throws(Failure) -> Bool {
    while true {
      if log == nil {
        guard file < export.outputs.count else { break }
        log = try LogReader(export.outputs[file], via: files)
      }
      if try log?.advance() ?? false {
        number += 1
        return true
      }
      before = position
      log = nil
      file += 1
    }
    if number == export.documents { return false }
    throw .malformed(
      export.path,
      "there are \(number) documents in it, and \(export.documents) were exported",
      remedy: "Files are damaged or cut off: get the export again."
    )
  }
}
