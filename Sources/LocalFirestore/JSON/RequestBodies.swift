enum ReadConsistency: Sendable, Equatable {
  /// The current state.
  case strong
  /// A time in the past hour, in microseconds since 1970.
  case time(Int64)
  /// The read time of an active transaction.
  case transaction(StoreTransactionID)
  /// The read time of a transaction that begins with this read.
  case newTransaction(TransactionOptions)
}

enum TransactionOptions: Sendable, Equatable {
  /// Read-only, at a time in microseconds since 1970 or at its first read.
  case readOnly(readTime: Int64?)
  /// `retried` is the aborted transaction that is being retried.
  case readWrite(retried: StoreTransactionID? = nil)
}

struct BatchGetRequest {
  var documents: [String] = []
  var mask: [FieldPath]?
  var consistency = ReadConsistency.strong
}

/// The body of `runQuery` and of `runAggregationQuery`.
struct RunRequest<Query> {
  var query: Query?
  var consistency = ReadConsistency.strong
  /// A requested feature that this store does not support.
  var missing: String?
}

struct PartitionQueryRequest {
  var query: StructuredQuery?
  var partitionCount: Int64 = 0
  var pageSize: Int32 = 0
  var pageToken = ""
  var consistency = ReadConsistency.strong
}

struct ListCollectionIDsRequest {
  var pageSize: Int32 = 0
  var pageToken = ""
  var consistency = ReadConsistency.strong
}

/// The body of `commit` and of `batchWrite`.
struct WriteRequest {
  var writes: [Write] = []
  var transaction: StoreTransactionID?
}

/// A document in a request, with its name if it has one.
struct DocumentBody {
  var name = ""
  var fields = FieldMap()
}
