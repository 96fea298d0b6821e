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
    if !options.isExport { return try await refresh() }
    if let present = try? MirrorFile(path, for: .reading) { try assertNoEdits(present) }
    return try await create()
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

  /// Pages of a read, counted and with the failure explained where the moment is no longer readable.
  func forEachPage(of read: CollectionRead, _ body: ([RawDocument]) throws -> Void) async throws {
    do {
      for try await page in client.pages(of: read) {
        try Task.checkCancellation()
        try body(page)
        progress.advance(by: page.count)
      }
    } catch let failure as Failure {
      guard let moment = read.readTime else { throw failure }
      throw failure.explainingClosedWindow(since: moment, remedy: "Pull again.")
    }
  }
}
