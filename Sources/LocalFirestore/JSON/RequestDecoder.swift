/// Decodes request bodies strictly: unknown members are refused.
///
/// Not `Sendable`: one decoder per connection.
final class RequestDecoder {
  private let parser = JSONParser()
  private var wire = WireDecoder(unknownMembers: .refused)

  /// Parses a body and decodes it with `read`; an empty body is an empty message.
  ///
  /// - Throws: ``FirestoreError`` `.invalidArgument` for anything but the documented message.
  func decode<Message>(
    _ body: [UInt8],
    _ read: (JSONCursor, inout WireDecoder) throws(WireError) -> Message
  ) throws(FirestoreError) -> Message {
    do throws(WireError) {
      return try parser.parse(body.isEmpty ? Array("{}".utf8) : body) { json throws(WireError) in
        try read(json, &self.wire)
      }
    } catch {
      throw .invalid("Invalid JSON payload received. \(error.description)")
    }
  }

  /// Decodes a body by adding its members to a message.
  func message<Message>(
    _ body: [UInt8],
    _ initial: Message,
    _ read: (inout Message, String, JSONCursor, inout WireDecoder) throws(WireError) -> Void
  ) throws(FirestoreError) -> Message {
    try decode(body) { json, wire throws(WireError) in try wire.message(json, initial, read) }
  }

  // MARK: Reads

  func batchGet(_ body: [UInt8]) throws(FirestoreError) -> BatchGetRequest {
    try message(body, BatchGetRequest()) { request, name, value, wire throws(WireError) in
      switch name {
      case "documents": request.documents += try wire.texts(value)
      case "mask": request.mask = try wire.documentMask(value)
      default: try wire.consistency(name, value, &request.consistency)
      }
    }
  }

  func runQuery(_ body: [UInt8]) throws(FirestoreError) -> RunRequest<StructuredQuery> {
    try run(body, "structuredQuery", asksForNearest: \.asksForNearest) { json, wire throws(WireError) in
      try wire.structuredQuery(json)
    }
  }

  func runAggregationQuery(
    _ body: [UInt8]
  ) throws(FirestoreError) -> RunRequest<StructuredAggregationQuery> {
    try run(body, "structuredAggregationQuery") {
      $0["structuredQuery"]?.asksForNearest ?? false
    } _: { json, wire throws(WireError) in
      try wire.structuredAggregationQuery(json)
    }
  }

  /// - Throws: `.unimplemented` for a feature that the store does not support.
  private func run<Query>(
    _ body: [UInt8],
    _ member: String,
    asksForNearest: (JSONCursor) -> Bool,
    _ read: (JSONCursor, inout WireDecoder) throws(WireError) -> Query
  ) throws(FirestoreError) -> RunRequest<Query> {
    let request = try message(body, RunRequest<Query>()) { request, name, value, wire throws(WireError) in
      switch name {
      case member where asksForNearest(value): request.missing = "findNearest"
      case member: request.query = try read(value, &wire)
      case "explainOptions": request.missing = name
      default: try wire.consistency(name, value, &request.consistency)
      }
    }
    if let missing = request.missing {
      throw FirestoreError(.unimplemented, "The embedded store has no \(missing).")
    }
    return request
  }

  func partitionQuery(_ body: [UInt8]) throws(FirestoreError) -> PartitionQueryRequest {
    try message(body, PartitionQueryRequest()) { request, name, value, wire throws(WireError) in
      switch name {
      case "structuredQuery": request.query = try wire.structuredQuery(value)
      case "partitionCount":
        guard let count = WireDecoder.integer(value) else { throw WireError("it is not an integer") }
        request.partitionCount = count
      case "pageSize": request.pageSize = try wire.int32(value)
      case "pageToken": request.pageToken = try value.text()
      case "readTime": try wire.consistency(name, value, &request.consistency)
      default: try wire.refuse(name)
      }
    }
  }

  func listCollectionIDs(_ body: [UInt8]) throws(FirestoreError) -> ListCollectionIDsRequest {
    try message(body, ListCollectionIDsRequest()) { request, name, value, wire throws(WireError) in
      switch name {
      case "pageSize": request.pageSize = try wire.int32(value)
      case "pageToken": request.pageToken = try value.text()
      // The URL names the resource; Google's clients omit it here.
      case "readTime": try wire.consistency(name, value, &request.consistency)
      default: try wire.refuse(name)
      }
    }
  }

  // MARK: Transactions

  func beginTransaction(_ body: [UInt8]) throws(FirestoreError) -> TransactionOptions {
    try message(body, TransactionOptions.readWrite()) { options, name, value, wire throws(WireError) in
      switch name {
      case "options": options = try wire.transactionOptions(value)
      default: try wire.requestOptions(name, value)
      }
    }
  }

  func rollback(_ body: [UInt8]) throws(FirestoreError) -> StoreTransactionID? {
    try message(body, StoreTransactionID?.none) { transaction, name, value, wire throws(WireError) in
      switch name {
      case "transaction": transaction = try value.transactionID()
      default: try wire.requestOptions(name, value)
      }
    }
  }

  // MARK: Writes

  func commit(_ body: [UInt8], in database: DatabaseName) throws(FirestoreError) -> WriteRequest {
    try message(body, WriteRequest()) { request, name, value, wire throws(WireError) in
      switch name {
      case "writes": request.writes = try wire.writes(value, in: database)
      case "transaction": request.transaction = try value.transactionID()
      default: try wire.requestOptions(name, value)
      }
    }
  }

  func batchWrite(_ body: [UInt8], in database: DatabaseName) throws(FirestoreError) -> WriteRequest {
    try message(body, WriteRequest()) { request, name, value, wire throws(WireError) in
      switch name {
      case "writes": request.writes = try wire.writes(value, in: database)
      case "labels":
        guard value.kind == .object else { throw WireError("it is not a JSON object") }
      default: try wire.requestOptions(name, value)
      }
    }
  }

  func document(_ body: [UInt8]) throws(FirestoreError) -> DocumentBody {
    try decode(body) { json, wire throws(WireError) in try wire.documentBody(json) }
  }
}

extension JSONCursor {
  /// Whether a query requests the nearest vectors.
  fileprivate var asksForNearest: Bool {
    kind == .object && (self["findNearest"] ?? self["find_nearest"]).map { !$0.isNull } ?? false
  }
}
