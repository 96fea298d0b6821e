/// The method that a request calls, determined from its HTTP method and path.
package enum RequestKind: String, Sendable, Hashable, CaseIterable {
  /// GET of a collection's documents.
  case list
  /// GET of one document.
  case get
  /// POST of a new document into a collection.
  case create
  /// PATCH of one document.
  case patch
  /// DELETE of one document.
  case delete
  /// documents:batchGet.
  case batchGet
  /// :runQuery.
  case runQuery
  /// :runAggregationQuery.
  case aggregation
  /// :partitionQuery.
  case partitionQuery
  /// :listCollectionIds.
  case listCollectionIds
  /// documents:commit.
  case commit
  /// documents:batchWrite.
  case batchWrite
  /// documents:beginTransaction.
  case beginTransaction
  /// documents:rollback.
  case rollback
  /// An OAuth token endpoint, or the metadata server's.
  case token
  /// Anything else.
  case other

  /// Methods that stream their response, and whose errors come inside an array.
  package static let streaming: Set<RequestKind> = [.batchGet, .runQuery, .aggregation]

  /// Determines the kind from the method and the path as sent.
  package init(method: String, rawPath: String) {
    self = Self.custom(method, rawPath) ?? Self.standard(method, rawPath)
  }

  private static func custom(_ method: String, _ rawPath: String) -> RequestKind? {
    let last = rawPath.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).last
    guard let last, let colon = last.lastIndex(of: UInt8(ascii: ":")) else {
      return !rawPath.hasPrefix("/v1/") && rawPath.hasSuffix("/token") ? .token : nil
    }
    guard method == "POST" else { return nil }
    switch String(decoding: last[last.index(after: colon)...], as: UTF8.self) {
    case "batchGet": return .batchGet
    case "runQuery": return .runQuery
    case "runAggregationQuery": return .aggregation
    case "partitionQuery": return .partitionQuery
    case "listCollectionIds": return .listCollectionIds
    case "commit": return .commit
    case "batchWrite": return .batchWrite
    case "beginTransaction": return .beginTransaction
    case "rollback": return .rollback
    default: return nil
    }
  }

  private static func standard(_ method: String, _ rawPath: String) -> RequestKind {
    // /v1/projects/P/databases/D/documents/...
    let segments = rawPath.split(separator: "/", omittingEmptySubsequences: true)
    guard segments.count > 6, segments[5] == "documents" else { return .other }
    let isDocument = (segments.count - 6).isMultiple(of: 2)
    switch method {
    case "GET": return isDocument ? .get : .list
    case "POST": return isDocument ? .other : .create
    case "PATCH": return isDocument ? .patch : .other
    case "DELETE": return isDocument ? .delete : .other
    default: return .other
    }
  }
}
