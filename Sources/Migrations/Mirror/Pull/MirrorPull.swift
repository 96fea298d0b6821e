import Configuration
import Files
package import FirestoreREST
import Logging
package import Runs

/// Pulls a database into a mirror: entirely the first time, and only changes from then on.
///
/// A pull shows the service at one read time, if the service permits that, and is written to the file atomically.
package struct MirrorPull: Sendable {
  package struct Options: Sendable {
    /// Whether to read everything again.
    package var isFull = false
    /// Whether to count collections by narrow ranges of names, so that fewer deletions go unnoticed because of as many creations.
    package var isThorough = false
    /// The seconds between a mark and the read time.
    package var overlap: Int64 = 600
    /// Whether to discard edits that were not pushed.
    package var discardsEdits = false
    /// Whether to replace an existing file with a new one without marks; a file with unpushed edits is not replaced.
    package var isExport = false
    /// How documents are masked; nil to pull them unmasked.
    package var mask: PulledMask?
    /// The root collections to pull; nil for all.
    package var selection: CollectionSelection?
    /// Whether what is read may be a part of the database.
    package var readsPart = false
    /// Whether what is read may lack fields of its documents.
    package var mayLackFields = false
    /// Whether what is read is masked already.
    package var readsMasked = false

    package init() {}
  }

  /// A view that comes with a schema: its name and its SELECT.
  package typealias View = (name: String, query: String)

  package struct Report: Sendable, Equatable {
    package var isNew = false
    /// The read time that the mirror shows.
    package var readTime: Timestamp?
    /// The number of documents that were read entirely.
    package var read = 0
    /// The number of documents of which only the name was read, to find deletions.
    package var names = 0
    /// The number of documents that the service counted.
    package var counted = 0
    /// The number of documents that are new or changed in the mirror.
    package var changed = 0
    /// The number of documents that no longer exist.
    package var deleted = 0
  }

  let path: String
  let options: Options
  let views: [View]
  private let context: DatabaseContext

  package init(in context: DatabaseContext, to path: String, _ options: Options, views: [View] = []) {
    self.context = context
    self.path = path
    self.options = options
    self.views = views
  }

  var client: FirestoreClient { context.client }
  var environment: DatabaseEnvironment { context.environment }
  var schema: DatabaseSchema { context.schema }
  var counts: RunCounts { context.counts }
  var progress: Progress { context.progress }
  var logger: Logger { context.logger }

  /// Pulls the database.
  ///
  /// - Throws: ``Failure``, with the file unchanged. `.tryLater` if edits were not pushed, or if another program keeps the file
  ///   locked.
  package func run() async throws -> Report {
    if SystemCall.status(path).status == nil { return try await create() }
    if !options.isExport { try assertSameMask() }
    // Deletions are found by the service's document names, which a masked mirror does not have.
    if !options.isExport, options.mask == nil { return try await refresh() }
    if let present = try? MirrorFile(path, for: .reading) { try assertNoEdits(present) }
    return try await create()
  }

  /// Refuses a mirror of another database, one without a mask if this pull has one, and one with another key.
  private func assertSameMask() throws(Failure) {
    let info = try MirrorInfo(MirrorFile(path, for: .reading))
    try info.assertOf(environment, path: path)
    guard info.mask != options.mask?.fingerprint else { return }
    let cause =
      info.mask == nil
      ? "it was pulled without a mask"
      : options.mask == nil ? "it was pulled with a mask" : "it was pulled under another key"
    throw Failure(
      .configuration,
      "pull into",
      path: path,
      cause: cause,
      remedy: "Name another file, or move this one away, to start over."
    )
  }

  /// Returns the root collections at a read time, without gymmigrate's own.
  func roots(at moment: Timestamp?) async throws -> [CollectionPath] {
    let roots = try await client.collectionIDs(readTime: moment).compactMap { CollectionPath($0) }
      .filter { !$0.isReserved }.sorted()
    return try options.selection?.scopes(roots: roots).map(\.name) ?? roots
  }

  /// Returns the read time; nil to read each page at its present time.
  func pin() async throws -> Timestamp? {
    try await client.readTime(.pinned, of: environment, logger)
  }

  func wholeRead(of root: CollectionPath, at moment: Timestamp?) -> CollectionRead {
    var read = CollectionRead(root, readTime: moment)
    read.reach = .subcollections
    return read
  }

  private func masked(_ page: [RawDocument]) async throws -> [RawDocument] {
    guard let mask = options.mask else { return page }
    return try await mask.masked(page.filter { !$0.path.isReserved })
  }

  /// Calls `body` with the pages of a read and counts them; explains the failure if the read time is no longer available.
  func forEachPage(of read: CollectionRead, _ body: ([RawDocument]) throws -> Void) async throws {
    do {
      for try await page in client.pages(of: read) {
        try Task.checkCancellation()
        try body(try await masked(page))
        progress.advance(by: page.count)
      }
    } catch let failure as Failure {
      throw failure.explainingClosedWindow(since: read.readTime, remedy: "Pull again.")
    }
  }
}
