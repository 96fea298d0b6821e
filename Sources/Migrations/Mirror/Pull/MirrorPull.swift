import Configuration
import Files
package import FirestoreREST
import Logging
package import Runs

/// Pulls a database into a mirror: all of it at first, what changed from then on.
///
/// A pull shows one moment of the service, where the service allows it, and is in the file as a whole or not at all.
package struct MirrorPull: Sendable {
  package struct Options: Sendable {
    /// Whether everything is read again.
    package var isFull = false
    /// Whether collections are counted by narrow ranges of names, so that fewer deletions hide behind as many creations.
    package var isThorough = false
    /// The seconds from a mark to the moment that was read.
    package var overlap: Int64 = 600
    /// Whether edits that were not pushed are dropped.
    package var discardsEdits = false
    /// Whether a new file takes the place of one that is there, without marks; edits that were not pushed are kept from it.
    package var isExport = false
    /// How documents are masked; nil to pull them as they are.
    package var mask: PulledMask?
    /// The root collections to pull; nil for all.
    package var selection: CollectionSelection?

    package init() {}
  }

  /// A view that comes with a schema: a name, and its SELECT.
  package struct View: Sendable {
    package var name: String
    package var query: String

    package init(name: String, query: String) {
      self.name = name
      self.query = query
    }
  }

  package struct Report: Sendable, Equatable {
    package var isNew = false
    /// The moment that the mirror shows.
    package var readTime: Timestamp?
    /// Documents that were read as a whole.
    package var read = 0
    /// Documents of which the name alone was read, to find what was deleted.
    package var names = 0
    /// Documents that were counted by the service.
    package var counted = 0
    /// Documents that are new in the mirror or changed.
    package var changed = 0
    /// Documents that are no longer there.
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

  /// - Throws: ``Failure``; the file is as it was then. `.tryLater` where edits were not pushed, or where another program
  ///   keeps the file locked.
  package func run() async throws -> Report {
    if SystemCall.status(path).status == nil { return try await create() }
    if !options.isExport { try assertSameMask() }
    // What was deleted is found by the names of the service, which a masked mirror does not have.
    if !options.isExport, options.mask == nil { return try await refresh() }
    if let present = try? MirrorFile(path, for: .reading) { try assertNoEdits(present) }
    return try await create()
  }

  /// Refuses a mirror of another database, without a mask where this pull has one, or under another key.
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
      remedy: "Name another file, or move this one away, to begin anew."
    )
  }

  /// The root collections at a moment, without gymmigrate's own.
  func roots(at moment: Timestamp?) async throws -> [CollectionPath] {
    let roots = try await client.collectionIDs(readTime: moment).compactMap { CollectionPath($0) }
      .filter { !$0.isReserved }.sorted()
    return try options.selection?.scopes(roots: roots).map(\.name) ?? roots
  }

  /// The moment to read at; nil for the present of each page.
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

  /// Pages of a read, counted and with the failure explained where the moment is no longer readable.
  func forEachPage(of read: CollectionRead, _ body: ([RawDocument]) throws -> Void) async throws {
    do {
      for try await page in client.pages(of: read) {
        try Task.checkCancellation()
        try body(try await masked(page))
        progress.advance(by: page.count)
      }
    } catch var failure as Failure {
      if let mask = options.mask { failure = mask.withoutNames(failure, read.collection) }
      guard let moment = read.readTime else { throw failure }
      throw failure.explainingClosedWindow(since: moment, remedy: "Pull again.")
    }
  }
}
