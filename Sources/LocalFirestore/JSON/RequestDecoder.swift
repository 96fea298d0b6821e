import FirestoreModels

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

  // MARK: Reads

  func batchGet(_ body: [UInt8]) throws(FirestoreError) -> BatchGetRequest {
    try decode(body) { json, wire throws(WireError) in
      var request = BatchGetRequest()
      try wire.message(json) { name, value, wire throws(WireError) in
        switch name {
        case "documents":
          for element in try wire.elements(of: value) { request.documents.append(try element.text()) }
        case "mask": request.mask = try wire.documentMask(value)
        default: try wire.consistency(name, value, &request.consistency)
        }
      }
      return request
    }
  }

  func runQuery(_ body: [UInt8]) throws(FirestoreError) -> RunQueryRequest {
    try decode(body) { json, wire throws(WireError) in
      var request = RunQueryRequest()
      try wire.message(json) { name, value, wire throws(WireError) in
        switch name {
        case "structuredQuery": request.query = try wire.structuredQuery(value)
        case "explainOptions": break
        default: try wire.consistency(name, value, &request.consistency)
        }
      }
      return request
    }
  }

  func runAggregationQuery(_ body: [UInt8]) throws(FirestoreError) -> RunAggregationQueryRequest {
    try decode(body) { json, wire throws(WireError) in
      var request = RunAggregationQueryRequest()
      try wire.message(json) { name, value, wire throws(WireError) in
        switch name {
        case "structuredAggregationQuery": request.query = try wire.structuredAggregationQuery(value)
        case "explainOptions": break
        default: try wire.consistency(name, value, &request.consistency)
        }
      }
      return request
    }
  }

  func partitionQuery(_ body: [UInt8]) throws(FirestoreError) -> PartitionQueryRequest {
    try decode(body) { json, wire throws(WireError) in
      var request = PartitionQueryRequest()
      try wire.message(json) { name, value, wire throws(WireError) in
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
      return request
    }
  }

  func listCollectionIDs(_ body: [UInt8]) throws(FirestoreError) -> ListCollectionIDsRequest {
    try decode(body) { json, wire throws(WireError) in
      var request = ListCollectionIDsRequest()
      try wire.message(json) { name, value, wire throws(WireError) in
        switch name {
        case "pageSize": request.pageSize = try wire.int32(value)
        case "pageToken": request.pageToken = try value.text()
        // The URL names the resource; Google's clients omit it here.
        case "readTime": try wire.consistency(name, value, &request.consistency)
        default: try wire.refuse(name)
        }
      }
      return request
    }
  }

  // MARK: Transactions

  func beginTransaction(_ body: [UInt8]) throws(FirestoreError) -> TransactionOptions {
    try decode(body) { json, wire throws(WireError) in
      var options = TransactionOptions.readWrite
      try wire.message(json) { name, value, wire throws(WireError) in
        switch name {
        case "options": options = try wire.transactionOptions(value)
        case "requestOptions": try wire.requestOptions(value)
        default: try wire.refuse(name)
        }
      }
      return options
    }
  }

  func rollback(_ body: [UInt8]) throws(FirestoreError) -> TransactionID? {
    try decode(body) { json, wire throws(WireError) in
      var transaction: TransactionID?
      try wire.message(json) { name, value, wire throws(WireError) in
        switch name {
        case "transaction": transaction = try value.transactionID()
        case "requestOptions": try wire.requestOptions(value)
        default: try wire.refuse(name)
        }
      }
      return transaction
    }
  }

  // MARK: Writes

  func commit(_ body: [UInt8], in database: DatabaseName) throws(FirestoreError) -> WriteRequest {
    try decode(body) { json, wire throws(WireError) in
      var request = WriteRequest()
      try wire.message(json) { name, value, wire throws(WireError) in
        switch name {
        case "writes": request.writes = try wire.writes(value, in: database)
        case "transaction": request.transaction = try value.transactionID()
        case "requestOptions": try wire.requestOptions(value)
        default: try wire.refuse(name)
        }
      }
      return request
    }
  }

  func batchWrite(_ body: [UInt8], in database: DatabaseName) throws(FirestoreError) -> WriteRequest {
    try decode(body) { json, wire throws(WireError) in
      var request = WriteRequest()
      try wire.message(json) { name, value, wire throws(WireError) in
        switch name {
        case "writes": request.writes = try wire.writes(value, in: database)
        case "labels":
          guard value.kind == .object else { throw WireError("it is not a JSON object") }
        case "requestOptions": try wire.requestOptions(value)
        default: try wire.refuse(name)
        }
      }
      return request
    }
  }

  func document(_ body: [UInt8]) throws(FirestoreError) -> DocumentBody {
    try decode(body) { json, wire throws(WireError) in try wire.documentBody(json) }
  }
}
