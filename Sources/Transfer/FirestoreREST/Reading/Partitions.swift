extension FirestoreClient {
  /// Returns document names that split a collection group into parts of similar size, sorted; nil if the service cannot do
  /// that.
  ///
  /// The pages of the response are in no order, so all are collected first (`partitionQuery` in the reference of the REST
  /// API).
  ///
  /// - Parameter count: The maximum number of names; the service returns fewer for a small group.
  /// - Throws: ``Failure``.
  package func partitions(
    ofGroup id: String,
    atMost count: Int,
    at readTime: Timestamp? = nil
  ) async throws(Failure) -> [DocumentPath]? {
    if count < 1 { return [] }
    var names: [DocumentPath] = []
    do throws(Failure) {
      try await forEachPage(orThrow: .endless("cut the collections called", path: id)) {
        token throws(Failure) in
        let page = try await partitionPage(id, count, readTime, after: token)
        names += page.names
        return names.count < count ? page.token : nil
      }
    } catch {
      if error.service?.status == .unimplemented { return nil }
      throw error
    }
    return names.sorted()
  }

  private func partitionPage(
    _ id: String,
    _ count: Int,
    _ readTime: Timestamp?,
    after token: String?
  ) async throws(Failure) -> (names: [DocumentPath], token: String?) {
    var query = StructuredQuery(from: StructuredQuery.CollectionSelector(id, allDescendants: true))
    query.orderBy = [StructuredQuery.Order(.documentName, .ascending)]
    let json = JSONWriter.object {
      $0.member("pageSize", 1000)
      $0.member("pageToken", token)
      $0.member("partitionCount", String(count))
      $0.member("readTime", readTime)
      $0.key("structuredQuery")
      $0.structuredQuery(query)
    }
    return try await caller.call(
      .partitionQuery,
      post("\(documentsURL):partitionQuery", json, .page),
      operation: "cut the collections called",
      path: id
    ) { (_, root) throws(CallFailure) in
      let names = try root.list("partitions", called: "the partitions") { partition throws(CallFailure) in
        guard
          let text = partition["values"]?.elements.first(where: { _ in true })?["referenceValue"]?.string,
          let path = database.path(ofName: text)
        else { throw .malformed("a partition has no name") }
        return path
      }
      return (names, root.nextPageToken)
    }
  }
}
