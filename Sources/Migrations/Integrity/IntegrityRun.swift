package import FirestoreREST
package import Runs

/// Runs a check on a database: counts the documents, fixes the read time, and reads page by page.
package struct IntegrityRun: Sendable {
  private let context: RunContext
  /// The number of documents per page, 1 to 300.
  package var pageSize = 300
  /// As ``CollectionRead/parallel``.
  package var parallel = 1
  /// The read to execute instead of all that the check needs: one of its reads, or a range of one; nil for all.
  package var part: CollectionRead?
  /// The read time; nil to read each page at its present time.
  package var readTime: Timestamp?

  package init(in context: RunContext) {
    self.context = context
  }

  /// Checks the database and reports each finding.
  ///
  /// - Throws: ``Failure``, and errors of `report`.
  package func check(
    _ check: IntegrityCheck,
    report: (IntegrityFinding) throws -> Void
  ) async throws {
    var reads = part.map { [$0] } ?? check.reads
    for read in reads { context.counts.open(read.collection) }
    for index in reads.indices {
      reads[index].pageSize = pageSize
      reads[index].parallel = parallel
      reads[index].readTime = readTime
    }
    defer { context.progress.end() }
    let asked = reads
    let pages = context.client.pages(ofEach: asked)
    do {
      try await check.run(
        reads,
        from: { read, body in
          let name = read.collection.string
          let counting = context.progress.begin(name, counting: [read], in: context.client)
          defer { counting.cancel() }
          // The check requests its reads in order.
          guard let index = asked.firstIndex(of: read) else { return }
          var isFirst = true
          while let page = try await pages.next(of: index) {
            try Task.checkCancellation()
            // A read that is fetched ahead usually has a single page, so counting waits for the second one.
            if !isFirst, !page.isEmpty { counting.begin() }
            isFirst = false
            try await body(page)
            count(page, of: read)
            context.progress.advance(by: page.count)
          }
        },
        report: report
      )
    } catch let failure as Failure {
      let remedy = "Check fewer rules at a time, \(Failure.orReadPresent)"
      throw failure.explainingClosedWindow(since: readTime, remedy: remedy)
    }
  }

  private func count(_ page: [RawDocument], of read: CollectionRead) {
    if read.reach == .collection {
      context.counts.update(read.collection) { $0.read += page.count }
    } else {
      for document in page { context.counts.update(document.path.collection.pattern) { $0.read += 1 } }
    }
  }
}
