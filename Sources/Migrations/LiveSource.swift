import Models
import Transfer

/// Documents as they are in the database now.
struct LiveSource: DocumentSource {
  let client: FirestoreClient
  let pageSize: Int
  let progress: Progress
  let book: AccountsBook
  let migration: any Migration
  /// Where it stops for a checkpoint; nil where it does not.
  let stops: SourceStops?
  /// Told how many reads the service bills.
  var onRead: @Sendable (Int) -> Void = { _ in }

  func forEachDocument(
    matching read: CollectionRead,
    _ body: (RawDocument) async throws -> Void
  ) async throws {
    var read = read
    read.pageSize = pageSize
    let index = stops?.next() ?? 0
    if let resumed = stops?.resumed {
      if index < resumed.read { return }
      if index == resumed.read { read.startAfter = resumed.last }
    }
    let total = try await total(of: read)
    progress.begin(read.collection.string, total: total)
    if let total { onRead(Cost.reads(ofCounting: total)) }
    var given = 0
    defer { onRead(Cost.reads(ofQueryGiving: given)) }
    for try await page in client.pages(of: read) {
      try Task.checkCancellation()
      for document in page {
        // A document that may be written is counted together with what became of it.
        if !migration.mayWrite(document.path.collection) {
          book.count(document.path.collection) {
            $0.read += 1
            $0.unchanged += 1
          }
        }
        try await body(document)
      }
      given += page.count
      progress.advance(by: page.count)
      if let stops, read.isOrderedByName, let last = page.last {
        try await stops.stop(SourcePosition(read: index, last: last.path))
      }
    }
    try await stops?.stop(SourcePosition(read: index + 1, last: nil))
  }

  func isPast(_ path: DocumentPath) -> Bool {
    guard let resumed = stops?.resumed, let sources = (migration as? any DocumentMigration)?.sources,
      let index = sources.firstIndex(where: { $0.collection == path.collection })
    else { return false }
    return index < resumed.read || (index == resumed.read && resumed.last.map { path <= $0 } ?? false)
  }

  /// The number of documents, nil where the service cannot tell; what keeps it from answering would keep the pages, too.
  private func total(of read: CollectionRead) async throws(Failure) -> Int? {
    do throws(Failure) {
      return try await client.count(read).count
    } catch {
      if let status = error.service?.status, status == .unimplemented || status == .invalidArgument {
        return nil
      }
      throw error
    }
  }
}

/// How far the reads of a migration are: `0 users/u5` is behind that document of the first one.
struct SourcePosition: Sendable, Equatable, CustomStringConvertible {
  /// The index of the read.
  var read: Int
  /// The last document of it that is done, nil where none is.
  var last: DocumentPath?

  init(read: Int, last: DocumentPath?) {
    self.read = read
    self.last = last
  }

  init?(_ text: String) {
    let parts = text.split(separator: " ", maxSplits: 1)
    guard let first = parts.first, let read = Int(first) else { return nil }
    self.read = read
    if parts.count > 1 {
      guard let path = DocumentPath(String(parts[1])) else { return nil }
      last = path
    }
  }

  var description: String { last.map { "\(read) \($0.string)" } ?? "\(read)" }
}

/// Where the reads of a migration stop for a checkpoint, and where they begin in a run that is taken up again.
final class SourceStops: Sendable {
  let resumed: SourcePosition?
  /// Everything up to a position was handed on.
  let stop: @Sendable (SourcePosition) async throws -> Void
  private let count = Guarded(0)

  init(resumed: SourcePosition?, _ stop: @escaping @Sendable (SourcePosition) async throws -> Void) {
    self.resumed = resumed
    self.stop = stop
  }

  /// The index of the next read.
  func next() -> Int {
    count.withLock { count in
      defer { count += 1 }
      return count
    }
  }
}
