extension Array where Element: Sendable {
  /// Returns the results of `transform` for all elements, computed concurrently, in the order of the elements.
  ///
  /// - Throws: The first error that `transform` throws; the remaining calls are cancelled.
  package func concurrentMap<Mapped: Sendable>(
    _ transform: @escaping @Sendable (Element) async throws -> Mapped
  ) async throws -> [Mapped] {
    try await withThrowingTaskGroup(of: (Int, Mapped).self) { group in
      for (index, element) in enumerated() { group.addTask { (index, try await transform(element)) } }
      var results = [Mapped?](repeating: nil, count: count)
      for try await (index, result) in group { results[index] = result }
      return results.compactMap { $0 }
    }
  }
}
