/// The known names of a collection, by their positions in the service's order.
package protocol KnownNames {
  var count: Int { get }

  /// - Parameter position: From 0 up to but not including ``count``.
  func name(at position: Int) throws -> DocumentPath
}

/// A range of names, with the positions of the known names in it.
package struct KnownRange: Sendable {
  package var positions: Range<Int>
  package var names: NameRange

  package init(positions: Range<Int>, names: NameRange) { (self.positions, self.names) = (positions, names) }
}

extension FirestoreClient {
  /// The number of concurrent counts.
  private static var width: Int { 8 }
  /// The number of ranges that are scheduled together.
  private static var readsAtOnce: Int { 300 }

  /// Finds, by counting, the ranges of names in which a collection has other documents than the known ones
  /// (``CountSearch``).
  ///
  /// - Parameters:
  ///   - read: A whole collection, with its read time.
  ///   - width: The number of known names in each range that is counted first.
  /// - Returns: The ranges in order, and the number of documents that were counted.
  /// - Throws: ``Failure``, including if the service cannot count; the errors of `known`.
  package func rangesThatDiffer(
    in read: CollectionRead,
    from known: some KnownNames,
    width: Int = CountSearch.width
  ) async throws -> (ranges: [KnownRange], counted: Int) {
    var search = CountSearch(known: known.count, width: width)
    var counted = 0
    try await withThrowingTaskGroup(of: (Range<Int>, Int).self) { group in
      var inFlight = 0
      while true {
        while inFlight < Self.width, let question = search.next() {
          let part = read.counting(try known.range(question), in: database)
          group.addTask { (question, try await self.count(part).count) }
          inFlight += 1
        }
        guard let (range, count) = try await group.next() else { break }
        inFlight -= 1
        counted += count
        search.take(count, in: range)
      }
    }
    return (try search.found.map { KnownRange(positions: $0, names: try known.range($0)) }, counted)
  }

  /// Reads the documents of a collection in some ranges of names, page by page and in order.
  ///
  /// - Parameters:
  ///   - remedy: What to do if the read time can no longer be read.
  ///   - body: Receives the pages of each range, and nil at its end.
  package func readRanges(
    of read: CollectionRead,
    _ ranges: [NameRange],
    orElse remedy: String,
    _ body: ([RawDocument]?, NameRange) async throws -> Void
  ) async throws {
    for start in stride(from: 0, to: ranges.count, by: Self.readsAtOnce) {
      let some = ranges[start...].prefix(Self.readsAtOnce)
      let reads = some.map { range in
        var read = read
        read.range = range
        if some.count > 1 { read.parallel = Self.width }
        return read
      }
      let pages = pages(ofEach: reads)
      for (index, range) in some.enumerated() {
        while let page = try await pages.next(of: index, at: read.readTime, orElse: remedy) {
          try Task.checkCancellation()
          try await body(page, range)
        }
        try await body(nil, range)
      }
    }
  }
}

extension KnownNames {
  fileprivate func range(_ positions: Range<Int>) throws -> NameRange {
    NameRange(
      start: positions.lowerBound == 0 ? nil : try name(at: positions.lowerBound),
      end: positions.upperBound == count ? nil : try name(at: positions.upperBound)
    )
  }
}

extension CollectionRead {
  /// The same read, limited to a range of names in a form that the service can count.
  fileprivate func counting(_ range: NameRange, in database: DatabaseName) -> CollectionRead {
    func bound(_ path: DocumentPath?, _ comparison: StructuredQuery.FieldOperator) -> [StructuredQuery.Filter]
    {
      path.map { [.field(.documentName, comparison, .reference(database.name(of: $0)))] } ?? []
    }
    var read = self
    let bounds = bound(range.start, .greaterThanOrEqual) + bound(range.end, .lessThan)
    read.filter = bounds.count == 1 ? bounds[0] : bounds.isEmpty ? nil : .and(bounds)
    return read
  }
}
