/// A query result that borrows its row; valid until the query continues.
struct QueryResult {
  var path: UnsafeRawBufferPointer
  /// The creation time in microseconds since 1970.
  var createTime: Int64
  /// The time of the last change in microseconds since 1970.
  var updateTime: Int64
  var fields: UnsafeRawBufferPointer
}

/// Runs planned queries on a snapshot.
///
/// Not `Sendable`: it owns a parser for stored fields.
final class QueryRunner {
  private let parser = JSONParser()
  private var decoder = WireDecoder()

  /// Decodes the fields of a stored document.
  func fields(_ json: UnsafeRawBufferPointer) throws -> FieldMap {
    do {
      return try parser.parse(json) { cursor throws(WireError) in try self.decoder.fields(cursor) }
    } catch {
      throw FirestoreError(.dataLoss, "A stored document cannot be read: \(error)")
    }
  }

  /// Checks that the fields of a stored document are JSON, so that a damaged one does not look like a damaged answer.
  func assertReadable(_ json: UnsafeRawBufferPointer, of path: String) throws {
    do {
      try parser.parse(json) { cursor throws(WireError) in
        if cursor.kind != .object { throw WireError("it is not an object") }
      }
    } catch {
      throw FirestoreError(.dataLoss, "The stored document \(path) cannot be read: \(error)")
    }
  }

  /// Calls `body` for each result in order until it returns false.
  ///
  /// - Returns: The number of results skipped by the offset.
  @discardableResult
  func run(
    _ plan: QueryPlan,
    on snapshot: StoreSnapshot,
    _ body: (QueryResult) throws -> Bool
  ) throws -> Int {
    if plan.limit == 0 { return 0 }
    return plan.isNameOrdered ? try scan(plan, snapshot, body) : try sort(plan, snapshot, body)
  }

  /// Returns the fields of a row, empty if they need not be decoded; nil if it does not match the filter.
  private func accepted(_ row: StoredRow, _ plan: QueryPlan) throws -> FieldMap? {
    let fields = plan.needsFields ? try self.fields(row.fields) : FieldMap()
    guard let filter = plan.filter else { return fields }
    return filter.matches(key: [UInt8](row.key), fields: fields) ? fields : nil
  }

  private func scan(
    _ plan: QueryPlan,
    _ snapshot: StoreSnapshot,
    _ body: (QueryResult) throws -> Bool
  ) throws -> Int {
    var skipped = 0
    var count = 0
    try snapshot.scan(plan.scope, plan.range, descending: plan.isDescending) { row in
      guard try accepted(row, plan) != nil else { return true }
      if skipped < plan.offset {
        skipped += 1
        return true
      }
      count += 1
      return try body(row.result) && count != plan.limit
    }
    return skipped
  }

  private func sort(
    _ plan: QueryPlan,
    _ snapshot: StoreSnapshot,
    _ body: (QueryResult) throws -> Bool
  ) throws -> Int {
    struct Candidate {
      var values: [Value]
      var document: StoredDocument
    }
    var candidates: [Candidate] = []
    let maximum = plan.limit.map { $0 + plan.offset }
    func order() {
      candidates.sort { plan.compare($0.values, $1.values) < 0 }
      if let maximum, candidates.count > maximum { candidates.removeLast(candidates.count - maximum) }
    }
    try snapshot.scan(plan.scope, plan.range) { row in
      guard let fields = try accepted(row, plan),
        let values = plan.orderValues(path: String(decoding: row.path, as: UTF8.self), fields: fields),
        plan.isWithinCursors(values)
      else { return true }
      candidates.append(Candidate(values: values, document: row.copied()))
      // Only the first results are needed, so the others are dropped periodically to bound memory.
      if let maximum, candidates.count >= 2 * maximum + 1000 { order() }
      return true
    }
    order()
    let skipped = min(plan.offset, candidates.count)
    for candidate in candidates.dropFirst(skipped) {
      if try !candidate.document.withResult(body) { break }
    }
    return skipped
  }
}
