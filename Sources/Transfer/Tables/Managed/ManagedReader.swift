package import Files
package import FirestoreModels

/// Reads the documents of a managed export, file by file, in no particular order.
///
///     if let export = try ManagedExport(at: "2026-01-31") {
///       let reader = ManagedReader(export)
///       while let (number, document) = try reader.next() { print(number, try document.get().path) }
///     }
///
/// It holds a block of a file and the longest record in memory.
package final class ManagedReader {
  package typealias Document = (number: Int, document: Result<RawDocument, Failure>)

  private let export: ManagedExport
  private let files: FileAccess
  private var log: LogReader?
  private var file = 0
  /// The size in bytes of the files read to the end.
  private var before = 0
  private var number = 0
  private var decoder = EntityDecoder()

  package init(_ export: ManagedExport, via files: FileAccess = .local) {
    (self.export, self.files) = (export, files)
  }

  /// The number of bytes read of all files.
  package var position: Int { before + (log?.position ?? 0) }

  /// Returns the number of the next document, from 1, and the document; nil at the end.
  ///
  /// - Throws: ``Failure`` of kind `inputMalformed`, with file and block, for damage and missing documents; `inputMissing`
  ///   for a missing file.
  package func next() throws(Failure) -> Document? {
    try advance() ? (number, decoded()) : nil
  }

  /// Skips documents without decoding them.
  ///
  /// - Throws: The errors of ``next()``.
  package func skip(through number: Int) throws(Failure) {
    while self.number < number {
      if try advance() { continue }
      throw .malformed(export.path, "it has fewer than \(number) documents")
    }
  }

  /// Returns the document of the record.
  private func decoded() -> Result<RawDocument, Failure> {
    let (record, block) = (log?.number ?? 0, log?.blockNumber ?? 0)
    do throws(WireError) {
      let entity = try log?.withRecord { bytes throws(WireError) in try decoder.decode(bytes) }
      guard let (database, document) = entity else { throw WireError("it was not read") }
      if let expected = export.database, database != expected {
        throw WireError("it is of another database (\(database)) than the first")
      }
      return .success(document)
    } catch {
      let path = log?.path ?? export.path
      return .failure(.malformed(path, "record \(record) (block \(block)): \(error)"))
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
    if !export.isPart { try export.assertWhole(number) }
    return false
  }
}
