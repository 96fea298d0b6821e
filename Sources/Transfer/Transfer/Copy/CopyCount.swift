import FirestoreModels
import FirestoreREST
import Schema

/// Counts the source at a copy's read time, and compares the counts with the numbers of documents that were read.
///
/// Subcollections can be counted only for a copy of everything: as collection groups, over all parents.
package struct CopyCount: Sendable {
  /// A collection, or collection group, whose count differs from the number of documents read.
  package struct Difference: Sendable, Equatable {
    package let collection: String
    package let counted: Int
    package let read: Int
  }

  private let copy: Copy
  private let plan: Copy.Plan
  private let extraneous: [CollectionPath: Int]

  /// - Parameter extraneous: The number of the target's documents that also count as read, as returned by ``Copy/run(_:)``.
  package init(_ copy: Copy, _ plan: Copy.Plan, without extraneous: [CollectionPath: Int]) {
    (self.copy, self.plan, self.extraneous) = (copy, plan, extraneous)
  }

  /// Returns the differences, and the number of documents that were covered by the counts.
  ///
  /// - Throws: ``Failure`` if the service cannot count them.
  package func differences() async throws -> (differences: [Difference], counted: Int) {
    let expected = expected()
    let client = copy.source.client
    let counts = try await expected.map(\.read).concurrentMap { read in
      await Result(awaiting: { () throws(Failure) in try await client.count(read).count })
    }
    var differences: [Difference] = []
    var counted = 0
    for ((read, number), count) in zip(expected, counts) {
      let count = try count.get()
      counted += count
      if count == number { continue }
      let name = read.reach == .group ? "*/\(read.collection)" : read.collection.string
      differences.append(Difference(collection: name, counted: count, read: number))
    }
    return (differences, counted)
  }

  /// What can be counted, with the number of its documents that were read.
  private func expected() -> [(read: CollectionRead, number: Int)] {
    guard copy.options.job.limit == nil, copy.options.part == nil, copy.options.subset == nil,
      plan.readTime != nil
    else { return [] }
    let numbers = copy.context.counts.collections.compactMap { collection in
      CollectionPath(collection.name).map { ($0, collection.counts.read - extraneous[$0, default: 0]) }
    }
    if copy.options.selection.wantsRoots, plan.scopes.allSatisfy(\.isDeep) {
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
      (read.filter, read.readTime) = (copy.options.filter, plan.readTime)
      return (read, number)
    }
  }
}
