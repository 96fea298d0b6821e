import FirestoreModels
import FirestoreREST

extension Copy {
  /// A collection, or collection group, whose count differs from the number of documents read.
  package struct CountDifference: Sendable, Equatable {
    package let collection: String
    package let counted: Int
    package let read: Int
  }

  /// Counts the source at the read time, and compares the counts with the numbers of documents that were read.
  ///
  /// Subcollections can be counted only for a copy of everything: as collection groups, over all parents.
  ///
  /// - Parameter extraneous: The number of the target's documents that also count as read, see ``Outcome/extraneous``.
  /// - Returns: The differences, and the number of documents that were covered by the counts.
  /// - Throws: ``Failure`` if the service cannot count them.
  package func countDifferences(
    _ plan: Plan,
    without extraneous: [CollectionPath: Int]
  ) async throws -> (differences: [CountDifference], counted: Int) {
    let expected = expectedCounts(plan, extraneous)
    let client = source.client
    let counts = try await expected.map(\.read).concurrentMap { read in
      await Result(awaiting: { () throws(Failure) in try await client.count(read).count })
    }
    var differences: [CountDifference] = []
    var counted = 0
    for ((read, number), count) in zip(expected, counts) {
      let count = try count.get()
      counted += count
      if count == number { continue }
      let name = read.reach == .group ? "*/\(read.collection)" : read.collection.string
      differences.append(CountDifference(collection: name, counted: count, read: number))
    }
    return (differences, counted)
  }

  /// What can be counted, with the number of its documents that were read.
  private func expectedCounts(
    _ plan: Plan,
    _ extraneous: [CollectionPath: Int]
  ) -> [(read: CollectionRead, number: Int)] {
    guard options.job.limit == nil, options.part == nil, options.subset == nil, plan.readTime != nil else {
      return []
    }
    let numbers = context.counts.collections.compactMap { collection in
      CollectionPath(collection.name).map { ($0, collection.counts.read - extraneous[$0, default: 0]) }
    }
    if options.selection.wantsRoots, plan.scopes.allSatisfy(\.isDeep) {
      let kinds = Dictionary(grouping: numbers) { UTF8Key($0.0.id) }
      return kinds.values.sorted { $0[0].0 < $1[0].0 }.map { some in
        var read = CollectionRead(CollectionPath(nil, some[0].0.id))
        (read.reach, read.readTime) = (.group, plan.readTime)
        return (read, some.reduce(0) { $0 + $1.1 })
      }
    }
    return plan.scopes.compactMap { scope in
      guard scope.kind == nil, let number = numbers.first(where: { $0.0 == scope.name })?.1 else {
        return nil
      }
      var read = CollectionRead(scope.name)
      (read.filter, read.readTime) = (options.filter, plan.readTime)
      return (read, number)
    }
  }
}
