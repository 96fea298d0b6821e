/// Fetches and decodes pages.
struct PageFetcher: Sendable {
  let client: FirestoreClient
  let read: CollectionRead
  /// Whether documents are only passed through, so that they may stay on the tape.
  let isCarrying: Bool
  /// The number of bytes that a page should have if it has more than one document.
  let share: Int
  /// The maximum number of bytes that such a page may have, because documents vary.
  var mostBytes: Int
  /// Called with the number of documents in a page, including those that are left out here, after it was decoded.
  var onPage: @Sendable (_ documents: Int) -> Void = { _ in }
  private let selection: ReadSelection?
  /// The collection for errors.
  var path: String { client.caller.shown(read.collection) }

  init(
    client: FirestoreClient,
    read: CollectionRead,
    isCarrying: Bool = false,
    share: Int = ByteBudget.response
  ) {
    self.client = client
    self.read = read
    self.isCarrying = isCarrying
    self.share = share
    mostBytes = 2 * share
    selection = read.selection
  }

  /// Requests a page, with a smaller size if the response exceeds the limit.
  ///
  /// - Parameter prepare: Called with the body of each response and the requested size, before the body is parsed.
  func page(
    after start: PageStart?,
    size: Int,
    beforeParsing prepare: ((_ body: [UInt8], _ size: Int) async -> Void)? = nil
  ) async throws(Failure) -> FetchedPage {
    let isList = isList(after: start)
    var size = size
    if read.isList, !isList, let queried = client.lists.queried { size = max(size, queried) }
    while true {
      do throws(Failure) {
        return isList
          ? try await list(after: start, size: size, beforeParsing: prepare)
          : try await query(after: start, size: size, beforeParsing: prepare)
      } catch {
        guard error.isBodyTooLarge, size > 1 else { throw error }
        // A response that was too large is wasted, so few attempts have to lead to a size that fits.
        size = max(1, size / 4)
      }
    }
  }

  /// Returns how many documents to request for the next page, so that it has its share of bytes.
  ///
  /// - Parameters:
  ///   - bytes: The size of the previous page.
  ///   - documents: The number of its documents.
  func size(after bytes: Int, of documents: Int) -> Int {
    documents > 0 ? max(1, documents.multipliedClamped(by: share) / max(1, bytes)) : .max
  }

  /// A request whose response may not exceed the limit, unless it is for one document.
  private func bounded(_ request: HTTPRequest, size: Int) -> HTTPRequest {
    var request = request
    if size > 1 { request.maximumBodyBytes = mostBytes }
    return request
  }

  /// Whether the next page is one of a list, if the read allows lists and the server's lists are usable.
  private func isList(after start: PageStart?) -> Bool {
    guard read.isList else { return false }
    switch start?.position {
    case .token: return true
    case .cursor: return false
    case nil: return client.lists.queried == nil || read.showsMissing
    }
  }

  /// Where a list continues: at its token, or after its last document if queries replace the list from now on.
  private func next(_ page: FetchedPage, _ root: JSONCursor) throws(CallFailure) -> PageStart.Position? {
    guard let token = root.nextPageToken else { return nil }
    let (count, last) = page.end
    guard !read.showsMissing, client.endpoint.hasPrefix("http://"), page.size > ListSupport.emulatorPage,
      count == ListSupport.emulatorPage, let last
    else { return .token(UTF8Key(token)) }
    client.lists.giveUp()
    return .cursor(try cursor(after: last, [StructuredQuery.Order(.documentName)]))
  }

  /// Returns the start of the page after another; nil after the last page.
  func start(after page: FetchedPage) throws(Failure) -> PageStart? {
    guard let position = page.next else { return nil }
    guard let start = PageStart(position, after: page.start) else {
      throw .endless("read the pages of", path: path)
    }
    return start
  }

  private func list(
    after start: PageStart?,
    size: Int,
    beforeParsing prepare: ((_ body: [UInt8], _ size: Int) async -> Void)?
  ) async throws(Failure) -> FetchedPage {
    let size = try await client.caller.reserve(reads: size)
    var request = HTTPRequest(method: "GET", url: listURL(after: start, size: size))
    (request.billing, request.isReserved) = (.documents(size), true)
    return try await client.caller.call(
      .listDocuments,
      bounded(request, size: size),
      operation: "read the page of",
      path: path,
      beforeParsing: { await prepare?($0, size) }
    ) { (body, root) throws(CallFailure) in
      let elements = try root.answered("documents", called: "the documents") ?? root
      var page = FetchedPage(body: body, elements: elements, start: start, size: size, isList: true)
      page.next = try next(page, root)
      return page
    }
  }

  private func query(
    after start: PageStart?,
    size: Int,
    beforeParsing prepare: ((_ body: [UInt8], _ size: Int) async -> Void)?
  ) async throws(Failure) -> FetchedPage {
    var query = read.query(in: client.database)
    let size = try await client.caller.reserve(reads: size)
    query.limit = size
    if case .cursor(let cursor)? = start?.position {
      query.startAt = cursor
    } else if let path = read.startAfter ?? read.startAt, read.isOrderedByName {
      query.startAt = cursor(at: path, before: read.startAfter == nil)
    }
    if let path = read.endBefore { query.endAt = cursor(at: path, before: true) }
    let order = query.orderBy
    let body = client.queryBody(query, read.readTime)
    var request = client.post("\(client.url(ofParent: read.parent)):runQuery", body, .documents(size))
    request.isReserved = true
    return try await client.caller.call(
      .runQuery,
      bounded(request, size: size),
      operation: "query",
      path: path,
      beforeParsing: { await prepare?($0, size) }
    ) { (body, root) throws(CallFailure) in
      _ = try FirestoreClient.streamElements(root)
      var page = FetchedPage(body: body, elements: root, start: start, size: size, isList: false)
      let (count, last) = page.end
      // A query returns as many documents as requested, so fewer documents are the last ones.
      if count >= size, let last { page.next = .cursor(try cursor(after: last, order)) }
      if case .cursor(let from)? = start?.position, case .cursor(let to)? = page.next,
        !to.isAfter(from, order)
      {
        throw .leadsBack
      }
      client.lists.learn(bytes: body.bytes, documents: count)
      return page
    }
  }

  private func cursor(at path: DocumentPath, before: Bool) -> StructuredQuery.Cursor {
    StructuredQuery.Cursor([.reference(client.database.name(of: path))], before: before)
  }

  private func cursor(
    after json: JSONCursor,
    _ order: [StructuredQuery.Order]
  ) throws(CallFailure) -> StructuredQuery.Cursor {
    let database = client.database
    var reader = AnswerReader(database)
    let document = try reader.document(json, isAsked: read.mayGive)
    let values = order.map { order in
      order.field == .documentName
        ? Value.reference(database.name(of: document.path)) : document.fields[order.field] ?? .null
    }
    return StructuredQuery.Cursor(values, before: false)
  }

  /// Decodes a fetched page as far as its reader needs.
  ///
  /// - Parameter order: The order of the documents before the page, which is advanced to its end.
  /// - Throws: `.unavailable` for documents that were not requested or are out of order, `.internal` for one that cannot
  ///   be decoded.
  func decoded(_ page: FetchedPage, _ order: inout ReadOrder) throws(Failure) -> DocumentPage {
    order.beginPage()
    onPage(page.count)
    do throws(CallFailure) {
      let decoded: DocumentPage =
        isCarrying ? try documentPage(of: page, &order) : .memory(try documents(of: page, &order))
      try order.endPage()
      return decoded
    } catch {
      throw client.caller.shown(error).asFailure(operation: "read the page of", path: path)
    }
  }

  /// Decodes the documents of a fetched page.
  ///
  /// - Throws: `.foreign` for a document that was not requested, or out of order; `.unreadable` for one that cannot be
  ///   decoded.
  private func documents(of page: FetchedPage, _ order: inout ReadOrder) throws(CallFailure) -> [RawDocument]
  {
    var reader = AnswerReader(client.database)
    let isAsked = read.mayGive
    var documents: [RawDocument] = []
    documents.reserveCapacity(page.size)
    for json in page.documents {
      var document = try reader.document(json, isAsked: isAsked)
      try order.take(document.path)
      if let selection, !selection.contains(document) { continue }
      if read.cutsHere, let mask = read.mask { document.fields = document.fields.cut(to: mask) }
      documents.append(document)
    }
    return documents
  }

  /// Returns the names of all documents in a page, including those that its read drops.
  func names(of page: FetchedPage, _ documents: DocumentPage) -> [DocumentPath] {
    guard selection != nil else {
      var names: [DocumentPath] = []
      names.reserveCapacity(documents.count)
      documents.forEachPath { names.append($0) }
      return names
    }
    return page.documents.compactMap { $0["name"]?.string.flatMap { client.database.path(ofName: $0) } }
  }

  /// Returns the documents of a fetched page, which stay on its tape unless they are selected or cut here.
  ///
  /// - Throws: The errors of ``documents(of:_:)``, except that values are checked when they are accessed.
  private func documentPage(
    of page: FetchedPage,
    _ order: inout ReadOrder
  ) throws(CallFailure) -> DocumentPage {
    if selection != nil || read.cutsHere { return .memory(try documents(of: page, &order)) }
    let reader = AnswerReader(client.database)
    let isAsked = read.mayGive
    let (caller, path) = (client.caller, path)
    var documents: [WireDocument] = []
    documents.reserveCapacity(page.size)
    for json in page.documents {
      let document = try reader.wireDocument(json, isAsked: isAsked)
      try order.take(document.path)
      documents.append(document)
    }
    let wire = WirePage(documents, owner: page.body) { error in
      caller.shown(AnswerReader.failure(of: error)).asFailure(operation: "read the page of", path: path)
    }
    return .wire(wire)
  }

  private func listURL(after start: PageStart?, size: Int) -> String {
    var url = client.url(ofParent: read.collection.parent) + "/"
    PercentEncoding.appendPath(read.collection.id, to: &url)
    url += "?pageSize=\(size)&prettyPrint=false"
    if case .token(let token)? = start?.position {
      url += "&pageToken=\(PercentEncoding.query(token.string))"
    }
    for path in read.mask ?? [] { url += "&mask.fieldPaths=\(PercentEncoding.query(path.description))" }
    if read.showsMissing { url += "&showMissing=true" }
    if let readTime = read.readTime { url += "&readTime=\(PercentEncoding.query(readTime.description))" }
    return url
  }
}

/// The start of a page, with the positions before it.
struct PageStart: Sendable {
  enum Position: Sendable, Equatable {
    case token(UTF8Key)
    case cursor(StructuredQuery.Cursor)
  }

  let position: Position
  /// The order of the documents before it; nil if it is known elsewhere.
  var order: ReadOrder?
  private var trail = LoopDetector<Position>()

  /// Creates a start; nil if the read has been at this position before.
  init?(_ position: Position, after last: PageStart?) {
    self.position = position
    if let last { trail = last.trail }
    if !trail.goes(to: position) { return nil }
  }
}

/// A page that has been parsed but not decoded.
struct FetchedPage: @unchecked Sendable {
  // The cursor borrows the body's parser; both move together from the task that fetches to the one that decodes.
  let body: ParsedBody
  /// The list of documents, or the stream elements that contain them; the response if it has no list.
  let elements: JSONCursor
  var next: PageStart.Position?
  /// Its start; nil for the first page.
  let start: PageStart?
  let size: Int
  /// Whether it is a page of a list rather than a query.
  let isList: Bool

  var documents: some Sequence<JSONCursor> {
    elements.elements.lazy.compactMap { [isList] in isList ? $0 : $0["document"] }
  }

  var count: Int { end.count }

  /// The number of its documents, and the last one.
  var end: (count: Int, last: JSONCursor?) { documents.reduce((0, nil)) { ($0.count + 1, $1) } }

  /// The approximate memory of its tape: the texts, and the parser's notes on each word of the tape.
  var heldBytes: Int { body.bytes + 12 * elements.tapeLength }
}
