public import Models

/// The documents of a read, page by page: by `documents.list`, or by `runQuery` where it takes a query.
///
/// The next page is asked for as soon as its token is known, and decoded while the last one is worked on, so three
/// pages at most are held. A page may be short or empty: only a missing token ends the list. A page whose body is
/// larger than the client accepts is asked for again with half the size, which the service allows between pages,
/// and the size grows back page by page. The pages of a query are queries of their own that begin after the last
/// document, so none of them runs into the service's limit of 60 seconds a stream; one that breaks is asked for again.
/// A page that leads back to where the read was before (a token that repeats, a page of a query that does not begin
/// behind the last) is a failure and not asked for again: it would go round for ever. Dropping the iterator cancels
/// the request in flight.
public struct DocumentPages: AsyncSequence, Sendable {
  /// A page.
  public typealias Element = [RawDocument]

  let client: FirestoreClient
  let read: CollectionRead

  /// Begins to read: the first page is asked for at once.
  public func makeAsyncIterator() -> Iterator {
    Iterator(PageFetcher(client: client, read: read))
  }

  /// Gives one page after another.
  public struct Iterator: AsyncIteratorProtocol {
    private let ahead: ReadAhead

    fileprivate init(_ fetcher: PageFetcher) {
      ahead = ReadAhead(fetcher)
    }

    /// The next page, which may be empty; nil after the last.
    ///
    /// - Throws: ``Failure`` after all retries, or where a document cannot be read.
    public mutating func next() async throws -> [RawDocument]? {
      try await ahead.next()
    }
  }
}

extension FirestoreClient {
  /// Reads documents page by page.
  public func pages(of read: CollectionRead) -> DocumentPages {
    DocumentPages(client: self, read: read)
  }
}

/// Where the next page begins, and the way that led there.
private struct PageStart: Sendable {
  enum Place: Sendable, Equatable {
    case token(UTF8Key)
    case cursor(StructuredQuery.Cursor)
  }

  let place: Place
  private var trail = PlaceTrail<Place>()

  /// Makes a start, nil where the read was at this place before.
  init?(_ place: Place, after last: PageStart?) {
    self.place = place
    if let last { trail = last.trail }
    if !trail.goes(to: place) { return nil }
  }
}

/// A page as it came: parsed, not yet decoded.
private struct FetchedPage: @unchecked Sendable {
  // The cursor borrows the body's parser, and both go together from the task that fetched them to the one that
  // decodes them.
  let body: ParsedBody
  /// The list of documents, or the stream of elements that hold them.
  let elements: JSONCursor?
  let next: PageStart.Place?
  /// Where it begins itself, nil for the first.
  let start: PageStart?
  /// The size that it was asked for with.
  let size: Int
}

/// The work ahead of the reader: one page being decoded and the request for the one after it, both cancelled when
/// the reader goes.
private final class ReadAhead {
  private typealias Fetch = Task<FetchedPage, any Error>
  private typealias Decoded = (documents: [RawDocument], next: Fetch?)

  private let fetcher: PageFetcher
  private let inFlight = Guarded<Fetch?>(nil)
  private var decoding: Task<Decoded, any Error>?

  init(_ fetcher: PageFetcher) {
    self.fetcher = fetcher
    decoding = Self.decode(
      Self.fetch(after: nil, size: fetcher.read.pageSize, fetcher, inFlight),
      fetcher,
      inFlight
    )
  }

  deinit {
    decoding?.cancel()
    inFlight.withLock { $0 }?.cancel()
  }

  func next() async throws -> [RawDocument]? {
    guard let task = decoding else { return nil }
    let (documents, next) = try await Self.value(of: task)
    decoding = next.map { Self.decode($0, fetcher, inFlight) }
    return documents
  }

  private static func fetch(
    after start: PageStart?,
    size: Int,
    _ fetcher: PageFetcher,
    _ inFlight: Guarded<Fetch?>
  ) -> Fetch {
    let task = Fetch { try await fetcher.page(after: start, size: size) }
    inFlight.withLock { $0 = task }
    return task
  }

  /// Waits for a page, asks for the one after it as soon as its token is known, and decodes meanwhile.
  private static func decode(
    _ fetch: Fetch,
    _ fetcher: PageFetcher,
    _ inFlight: Guarded<Fetch?>
  ) -> Task<Decoded, any Error> {
    Task {
      let page = try await value(of: fetch)
      try Task.checkCancellation()
      let size = min(page.size * 2, fetcher.read.pageSize)
      let start = try fetcher.start(after: page)
      let next = start.map { Self.fetch(after: $0, size: size, fetcher, inFlight) }
      if Task.isCancelled { next?.cancel() }
      return (try fetcher.documents(of: page), next)
    }
  }

  private static func value<Result: Sendable>(of task: Task<Result, any Error>) async throws -> Result {
    try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      task.cancel()
    }
  }
}

/// Fetches one page after another, and decodes it.
private struct PageFetcher: Sendable {
  let client: FirestoreClient
  let read: CollectionRead

  func page(after start: PageStart?, size: Int) async throws(Failure) -> FetchedPage {
    var size = size
    while true {
      do throws(Failure) {
        return read.isList
          ? try await list(after: start, size: size) : try await query(after: start, size: size)
      } catch {
        guard error.isBodyTooLarge, size > 1 else { throw error }
        size = max(1, size / 2)
      }
    }
  }

  /// Where the page after one begins, nil after the last.
  func start(after page: FetchedPage) throws(Failure) -> PageStart? {
    guard let place = page.next else { return nil }
    guard let start = PageStart(place, after: page.start) else {
      throw .endless("read the pages of", path: read.collection.string)
    }
    return start
  }

  private func list(after start: PageStart?, size: Int) async throws(Failure) -> FetchedPage {
    try await client.caller.call(
      .listDocuments,
      HTTPRequest(method: "GET", url: listURL(after: start, size: size)),
      operation: "read the page of",
      path: read.collection.string
    ) { (body, root) throws(CallFailure) in
      guard root.kind == .object else { throw .malformed("the answer is not an object") }
      return FetchedPage(
        body: body,
        elements: root["documents"],
        next: root["nextPageToken"]?.string.flatMap { $0.isEmpty ? nil : .token(UTF8Key($0)) },
        start: start,
        size: size
      )
    }
  }

  private func query(after start: PageStart?, size: Int) async throws(Failure) -> FetchedPage {
    var query = read.query(in: client.database)
    query.limit = size
    if case .cursor(let cursor)? = start?.place {
      query.startAt = cursor
    } else if let path = read.startAfter, read.isOrderedByName {
      query.startAt = StructuredQuery.Cursor([.reference(client.database.name(of: path))], before: false)
    }
    let order = query.orderBy
    return try await client.caller.call(
      .runQuery,
      client.post("\(client.url(ofParent: read.parent)):runQuery", client.queryBody(query, read.readTime)),
      operation: "query",
      path: read.collection.string
    ) { (body, root) throws(CallFailure) in
      let elements = try FirestoreClient.streamElements(root)
      var count = 0
      var last: JSONCursor?
      for element in elements {
        if let document = element["document"] {
          count += 1
          last = document
        }
      }
      // A query gives all that it was asked for, so fewer are the last.
      var next: PageStart.Place?
      if count >= size, let last { next = .cursor(try Self.cursor(after: last, order, in: client.database)) }
      return FetchedPage(body: body, elements: root, next: next, start: start, size: size)
    }
  }

  private static func cursor(
    after json: JSONCursor,
    _ order: [StructuredQuery.Order],
    in database: DatabaseName
  ) throws(CallFailure) -> StructuredQuery.Cursor {
    var decoder = WireDecoder()
    let document = try FirestoreClient.decoded { () throws(WireError) in
      try decoder.document(json, prefix: database.documents + "/")
    }
    let values = order.map { order in
      order.field == .documentName
        ? Value.reference(database.name(of: document.path)) : document.fields[order.field] ?? .null
    }
    return StructuredQuery.Cursor(values, before: false)
  }

  /// Decodes a page that was fetched.
  func documents(of page: FetchedPage) throws(Failure) -> [RawDocument] {
    let prefix = client.database.documents + "/"
    var decoder = WireDecoder()
    var documents: [RawDocument] = []
    guard let list = page.elements else { return documents }
    documents.reserveCapacity(page.size)
    for element in list.elements {
      guard let json = read.isList ? element : element["document"] else { continue }
      do throws(WireError) {
        var document = try decoder.document(json, prefix: prefix)
        if read.cutsHere, let mask = read.mask { document.fields = document.fields.cut(to: mask) }
        documents.append(document)
      } catch {
        throw Failure(
          .internal,
          "read the page of",
          path: read.collection.string,
          cause: "document \(documents.count + 1) of it: \(error)"
        )
      }
    }
    return documents
  }

  private func listURL(after start: PageStart?, size: Int) -> String {
    var url = client.url(ofParent: read.collection.parent) + "/"
    PercentEncoding.appendPath(read.collection.id, to: &url)
    url += "?pageSize=\(size)&prettyPrint=false"
    if case .token(let token)? = start?.place {
      url += "&pageToken=\(PercentEncoding.query(token.string))"
    }
    for path in read.mask ?? [] { url += "&mask.fieldPaths=\(PercentEncoding.query(path.description))" }
    if read.showsMissing { url += "&showMissing=true" }
    if let readTime = read.readTime { url += "&readTime=\(PercentEncoding.query(readTime.description))" }
    return url
  }
}
