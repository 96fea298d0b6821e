package import Files
package import FirestoreModels

/// Reads the documents of a managed export, file by file, in no order.
///
///     if let export = try ManagedExport(at: "2026-01-31") {
///       let reader = ManagedReader(export)
///       while let (number, document) = try reader.next() { print(number, try document.get().path) }
///     }
///
/// What follows is decoded on other threads while the caller works, a few hundred kilobytes ahead.
package final class ManagedReader {
  package typealias Document = (number: Int, document: Result<RawDocument, Failure>)

  private let export: ManagedExport
  private let files: FileAccess
  private var log: LogReader?
  private var file = 0
  /// The bytes of the files that were read to their end.
  private var before = 0
  private var number = 0

  /// What is next, and the batches after it.
  private var decoded: [Document].Iterator = [].makeIterator()
  private var ahead: [RecordBatch] = []
  private var isRead = false
  /// What ends the reading, once the documents before it were returned.
  private var failure: Failure?

  /// The batches that wait or are decoded; each has 64 KiB of records, or one that is larger.
  private static let width = 4

  package init(_ export: ManagedExport, via files: FileAccess = .local) {
    (self.export, self.files) = (export, files)
  }

  /// The bytes of the files that were read.
  package var position: Int { before + (log?.position ?? 0) }

  /// Returns the number of the next document, from 1, and the document; nil at the end.
  ///
  /// - Throws: `.inputMalformed` with file and block for what is damaged, and where documents are missing; `.inputMissing` for a
  ///   file that is.
  package func next() throws(Failure) -> Document? {
    while true {
      if let document = decoded.next() { return document }
      readAhead()
      if ahead.isEmpty { break }
      decoded = ahead.removeFirst().documents().makeIterator()
      readAhead()
    }
    if let failure { throw failure }
    return nil
  }

  /// Skips documents without decoding them; of a reader that has returned none.
  ///
  /// - Throws: As ``next()``.
  package func skip(through number: Int) throws(Failure) {
    while self.number < number {
      if try advance() { continue }
      throw .malformed(export.path, "it has fewer than \(number) documents")
    }
  }

  private func readAhead() {
    while !isRead, ahead.count < Self.width {
      var records = RecordBatch.Records(of: export)
      do throws(Failure) {
        while records.hasRoom {
          guard try advance() else {
            isRead = true
            break
          }
          let place = RecordBatch.Place(
            number: number,
            path: log?.path ?? export.path,
            record: log?.number ?? 0,
            block: log?.blockNumber ?? 0
          )
          log?.withRecord { records.add($0, at: place) }
        }
      } catch {
        (failure, isRead) = (error, true)
      }
      if records.isEmpty { return }
      let batch = RecordBatch(records)
      ahead.append(batch)
      batch.begin()
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
