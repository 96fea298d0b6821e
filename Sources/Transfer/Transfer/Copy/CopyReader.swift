import FirestoreModels
import FirestoreREST
import Runs

/// The reading side of a copy: part by part of the source, page by page, with what is below where that is meant.
struct CopyReader: Sendable {
  let client: FirestoreClient
  let filter: StructuredQuery.Filter?
  /// Documents of each part at most, what is below it counted.
  let limit: Int
  let personalData: PersonalDataGuard
  let progress: Progress

  /// Hands over page by page, with the position behind it where the read can be resumed there.
  ///
  /// - Parameter references: What becomes of references; it has counted what the position says.
  func forEachPage(
    _ plan: Copy.Plan,
    from start: CopyPosition,
    _ references: inout CopyReferences,
    _ body: ([RawDocument], CopyPosition?) async throws -> Void
  ) async throws {
    var position = start
    for (index, scope) in plan.scopes.enumerated() where index >= start.stage {
      if index > start.stage || position.last == nil {
        (position.stage, position.last, position.taken) = (index, nil, 0)
      }
      var read = scope.read
      if !scope.isDeep { read.filter = filter }
      read.readTime = plan.readTime
      read.startAfter = position.last
      let isResumable = read.isOrderedByName
      var left = limit - position.taken
      read.pageSize = max(1, min(read.pageSize, left))
      var pages = client.pages(of: read).makeAsyncIterator()
      while left > 0, let page = try await next(&pages, readTime: plan.readTime) {
        try Task.checkCancellation()
        var documents: [RawDocument] = []
        for document in page where left > 0 && isMeant(document.path, index, plan.scopes) {
          try personalData.assertFree(document.path.collection)
          documents.append(try references.rewrite(document))
          left -= 1
        }
        position.taken += documents.count
        position.last = isResumable ? page.last?.path ?? position.last : nil
        position.references = references.counts
        try await body(documents, isResumable ? position : nil)
        progress.advance(by: documents.count)
      }
    }
  }

  /// The next page; an error about the read time is explained.
  private func next(
    _ pages: inout DocumentPages.Iterator,
    readTime: Timestamp?
  ) async throws -> [RawDocument]? {
    do {
      return try await pages.next()
    } catch let failure as Failure {
      guard let readTime else { throw failure }
      throw failure.explainingClosedWindow(
        since: readTime,
        remedy: "Copy again from the beginning (documents already written are detected and skipped)"
      )
    }
  }

  /// Whether a document belongs to a part; another part may be of the same collections.
  private func isMeant(_ path: DocumentPath, _ index: Int, _ scopes: [CollectionScope]) -> Bool {
    scopes[index].kind == nil && scopes.count == 1
      || CollectionScope.index(of: path, in: scopes) == index
  }
}
