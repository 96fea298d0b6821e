public import Models

/// What to list of a collection.
public struct ListRequest: Sendable, Equatable {
  /// The collection.
  public var collection: CollectionPath
  /// Documents a page, 1 to 300 (the service gives no more, and may give fewer).
  public var pageSize: Int
  /// The fields to read; all where nil.
  public var mask: [FieldPath]?
  /// Whether documents are listed that do not exist but have subcollections; they come with no times.
  public var showMissing: Bool
  /// The moment to read at; now where nil.
  public var readTime: Timestamp?

  /// Makes a request.
  public init(
    _ collection: CollectionPath,
    pageSize: Int = 300,
    mask: [FieldPath]? = nil,
    showMissing: Bool = false,
    readTime: Timestamp? = nil
  ) {
    self.collection = collection
    self.pageSize = pageSize
    self.mask = mask
    self.showMissing = showMissing
    self.readTime = readTime
  }
}

/// The documents of a collection, page by page in the order of their names (`documents.list`).
///
/// The next page is asked for as soon as its token is known, and decoded while the last one is worked on, so three
/// pages at most are held. A page may be short or empty: only a missing token ends the list. A page whose body is
/// larger than the client accepts is asked for again with half the size, which the service allows between pages,
/// and the size grows back page by page. Dropping the iterator cancels the request in flight.
public struct DocumentPages: AsyncSequence, Sendable {
  /// A page.
  public typealias Element = [RawDocument]

  let client: FirestoreClient
  let request: ListRequest

  /// Begins to read: the first page is asked for at once.
  public func makeAsyncIterator() -> Iterator {
    Iterator(PageFetcher(client: client, request: request))
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
  /// Lists a collection page by page.
  public func list(_ request: ListRequest) -> DocumentPages {
    DocumentPages(client: self, request: request)
  }
}

/// A page as it came: parsed, not yet decoded.
private struct FetchedPage: @unchecked Sendable {
  // The cursor borrows the body's parser, and both go together from the task that fetched them to the one that
  // decodes them.
  let body: ParsedBody
  let documents: JSONCursor?
  let nextPageToken: String?
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
      Self.fetch(after: nil, size: fetcher.request.pageSize, fetcher, inFlight),
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
    after token: String?,
    size: Int,
    _ fetcher: PageFetcher,
    _ inFlight: Guarded<Fetch?>
  ) -> Fetch {
    let task = Fetch { try await fetcher.page(after: token, size: size) }
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
      let size = min(page.size * 2, fetcher.request.pageSize)
      let next = page.nextPageToken.map { Self.fetch(after: $0, size: size, fetcher, inFlight) }
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

/// Fetches one page after a token.
private struct PageFetcher: Sendable {
  let client: FirestoreClient
  let request: ListRequest

  func page(after token: String?, size: Int) async throws(Failure) -> FetchedPage {
    var size = size
    while true {
      do throws(Failure) {
        return try await client.caller.call(
          .listDocuments,
          HTTPRequest(method: "GET", url: url(token: token, size: size)),
          operation: "read the page of",
          path: request.collection.string
        ) { (body, root) throws(CallFailure) in
          guard root.kind == .object else { throw .malformed("the answer is not an object") }
          return FetchedPage(
            body: body,
            documents: root["documents"],
            nextPageToken: root["nextPageToken"]?.string.flatMap { $0.isEmpty ? nil : $0 },
            size: size
          )
        }
      } catch {
        guard error.isBodyTooLarge, size > 1 else { throw error }
        size = max(1, size / 2)
      }
    }
  }

  /// Decodes a page that was fetched.
  func documents(of page: FetchedPage) throws(Failure) -> [RawDocument] {
    let prefix = client.database.documents + "/"
    var decoder = WireDecoder()
    var documents: [RawDocument] = []
    guard let list = page.documents else { return documents }
    documents.reserveCapacity(request.pageSize)
    for (index, json) in list.elements.enumerated() {
      do throws(WireError) {
        documents.append(try decoder.document(json, prefix: prefix))
      } catch {
        throw Failure(
          .internal,
          "read the page of",
          path: request.collection.string,
          cause: "document \(index + 1) of it: \(error)"
        )
      }
    }
    return documents
  }

  private func url(token: String?, size: Int) -> String {
    var url = client.url(ofParent: request.collection.parent) + "/"
    PercentEncoding.appendPath(request.collection.id, to: &url)
    url += "?pageSize=\(size)&prettyPrint=false"
    if let token { url += "&pageToken=\(PercentEncoding.query(token))" }
    for path in request.mask ?? [] { url += "&mask.fieldPaths=\(PercentEncoding.query(path.description))" }
    if request.showMissing { url += "&showMissing=true" }
    if let readTime = request.readTime { url += "&readTime=\(PercentEncoding.query(readTime.description))" }
    return url
  }
}
