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

  func runQuery(_ body: [UInt8]) throws(FirestoreError) -> RunQueryRequest {
    let request = try message(body, RunQueryRequest()) { request, name, value, wire throws(WireError) in
      switch name {
      case "structuredQuery" where value.asksForNearest: request.missing = "findNearest"
      case "structuredQuery": request.query = try wire.structuredQuery(value)
      case "explainOptions": request.missing = name
      default: try wire.consistency(name, value, &request.consistency)
      }
    }
    try assertOffered(request.missing)
    return request
  }

  func runAggregationQuery(_ body: [UInt8]) throws(FirestoreError) -> RunAggregationQueryRequest {
    let request = try message(body, RunAggregationQueryRequest()) {
      request,
      name,
      value,
      wire throws(WireError) in
      switch name {
      case "structuredAggregationQuery" where value["structuredQuery"]?.asksForNearest ?? false:
        request.missing = "findNearest"
      case "structuredAggregationQuery": request.query = try wire.structuredAggregationQuery(value)
      case "explainOptions": request.missing = name
      default: try wire.consistency(name, value, &request.consistency)
      }
    }
    try assertOffered(request.missing)
    return request
  }

  /// - Throws: `.unimplemented` for a feature that the store does not support.
  private func assertOffered(_ missing: String?) throws(FirestoreError) {
    guard let missing else { return }
    throw FirestoreError(.unimplemented, "The embedded store has no \(missing).")
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
      case "requestOptions": try wire.requestOptions(value)
      default: try wire.refuse(name)
      }
    }
  }

  func rollback(_ body: [UInt8]) throws(FirestoreError) -> StoreTransactionID? {
    try message(body, StoreTransactionID?.none) { transaction, name, value, wire throws(WireError) in
      switch name {
      case "transaction": transaction = try value.transactionID()
      case "requestOptions": try wire.requestOptions(value)
      default: try wire.refuse(name)
      }
    }
  }

  // MARK: Writes

  func commit(_ body: [UInt8], in database: DatabaseName) throws(FirestoreError) -> WriteRequest {
    try message(body, WriteRequest()) { request, name, value, wire throws(WireError) in
      switch name {
      case "writes": request.writes = try wire.writes(value, in: database)
      case "transaction": request.transaction = try value.transactionID()
      case "requestOptions": try wire.requestOptions(value)
      default: try wire.refuse(name)
      }
    }
  }

  func batchWrite(_ body: [UInt8], in database: DatabaseName) throws(FirestoreError) -> WriteRequest {
    try message(body, WriteRequest()) { request, name, value, wire throws(WireError) in
      switch name {
      case "writes": request.writes = try wire.writes(value, in: database)
      case "labels":
        guard value.kind == .object else { throw WireError("it is not a JSON object") }
      case "requestOptions": try wire.requestOptions(value)
      default: try wire.refuse(name)
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
