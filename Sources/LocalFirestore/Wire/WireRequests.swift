import FirestoreModels

/// Which moment a read is of.
enum ReadConsistency: Sendable, Equatable {
  /// Now.
  case strong
  /// A moment of the past hour, in microseconds since 1970.
  case time(Int64)
  /// The moment of a transaction that has begun.
  case transaction(TransactionID)
  /// The moment of a transaction that begins with this read.
  case newTransaction(TransactionOptions)
}

/// What a transaction is to be.
enum TransactionOptions: Sendable, Equatable {
  /// It reads, at a moment in microseconds since 1970 or at its first read.
  case readOnly(readTime: Int64?)
  /// It reads and then commits writes.
  case readWrite
}

/// The body of `batchGet`.
struct BatchGetRequest {
  var documents: [String] = []
  var mask: [FieldPath]?
  var consistency = ReadConsistency.strong
}

/// The body of `runQuery`.
struct RunQueryRequest {
  var query: StructuredQuery?
  var consistency = ReadConsistency.strong
}

/// The body of `runAggregationQuery`.
struct RunAggregationQueryRequest {
  var query: StructuredAggregationQuery?
  var consistency = ReadConsistency.strong
}

/// The body of `partitionQuery`.
struct PartitionQueryRequest {
  var query: StructuredQuery?
  var partitionCount: Int64 = 0
  var pageSize: Int32 = 0
  var pageToken = ""
  var consistency = ReadConsistency.strong
}

/// The body of `listCollectionIds`.
struct ListCollectionIDsRequest {
  var pageSize: Int32 = 0
  var pageToken = ""
  var consistency = ReadConsistency.strong
}

/// The body of `commit` and of `batchWrite`.
struct WriteRequest {
  var writes: [Write] = []
  var transaction: TransactionID?
}

/// A document in a request: its name, where it has one, and its fields.
struct DocumentBody {
  var name = ""
  var fields = FieldMap()
}
