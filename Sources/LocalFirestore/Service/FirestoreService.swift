/// A routed request with its query and body.
struct ServiceRequest {
  var route: Route
  var query: [(name: String, value: String)]
  var body: [UInt8]
}

/// A response body, written incrementally.
protocol BodyWriter: AnyObject {
  /// The bytes not sent yet.
  var bytes: [UInt8] { get set }
  /// Sends the bytes if they are long enough for a chunk.
  func flushIfLong() throws
}

/// The reusable buffers and parsers of one connection.
final class ConnectionResources {
  let decoder = RequestDecoder()
  let runner = QueryRunner()
}

/// The methods of `google.firestore.v1.Firestore` and the database methods of its admin service, over a
/// store.
struct FirestoreService: Sendable {
  let store: DocumentStore
  let transactions: TransactionTable

  init(_ store: DocumentStore) {
    self.store = store
    transactions = TransactionTable(clock: store.clock)
  }

  /// Begins a transaction; a read-only one has a read time from the beginning, which must be readable.
  func begin(_ options: TransactionOptions, in database: DatabaseName) throws -> StoreTransactionID {
    var options = options
    if case .readOnly(let readTime) = options {
      options = .readOnly(readTime: try store.read(database, at: readTime) { $0.readTime })
    }
    return try transactions.begin(options, in: database)
  }

  /// Writes the JSON response to a request.
  ///
  /// - Throws: ``FirestoreError``; anything written before is an incomplete response.
  func answer(_ request: ServiceRequest, _ resources: ConnectionResources, _ out: any BodyWriter) throws {
    let call = ServiceCall(service: self, request: request, resources: resources, out: out)
    switch request.route {
    case .health: out.bytes.append(contentsOf: "Ok\n".utf8)
    case .flush(let database): try call.flush(database)
    case .listDatabases(let project): try call.listDatabases(project)
    case .getDatabase(let database): try call.getDatabase(database)
    case .get(let database, let path): try call.get(database, path)
    case .list(let database, let parent, let collection): try call.list(database, parent, collection)
    case .create(let database, let parent, let collection): try call.create(database, parent, collection)
    case .patch(let database, let path): try call.patch(database, path)
    case .delete(let database, let path): try call.delete(database, path)
    case .method(let database, let parent, let verb): try call.method(verb, database, parent)
    }
  }
}

/// One method call.
struct ServiceCall {
  let service: FirestoreService
  let request: ServiceRequest
  let resources: ConnectionResources
  let out: any BodyWriter

  var store: DocumentStore { service.store }
  var runner: QueryRunner { resources.runner }
  var decoder: RequestDecoder { resources.decoder }

  /// The query parameters, of which only `known` are allowed.
  func parameters(_ known: Set<String> = []) throws(FirestoreError) -> QueryParameters {
    try QueryParameters(request.query, known: known)
  }

  func method(_ verb: String, _ database: DatabaseName, _ parent: String) throws {
    _ = try parameters()
    switch verb {
    case "runQuery": return try runQuery(database, parent)
    case "runAggregationQuery": return try runAggregationQuery(database, parent)
    case "listCollectionIds": return try listCollectionIDs(database, parent)
    case "partitionQuery": return try partitionQuery(database, parent)
    default: break
    }
    guard parent.isEmpty else { throw FirestoreError(.notFound, "There is no method '\(verb)'.") }
    switch verb {
    case "batchGet": try batchGet(database)
    case "commit": try commit(database)
    case "batchWrite": try batchWrite(database)
    case "beginTransaction": try beginTransaction(database)
    case "rollback": try rollback(database)
    default: throw FirestoreError(.notFound, "There is no method '\(verb)'.")
    }
  }

  /// Writes a response that is one JSON value.
  func respond(_ write: (inout JSONWriter) -> Void) {
    out.bytes.append(contentsOf: JSONWriter.bytes(write))
  }

  // MARK: Reads

  /// A snapshot to read, which records the ranges read by a transaction.
  struct ReadContext {
    let snapshot: StoreSnapshot
    /// The transaction begun by this read.
    let newTransaction: StoreTransactionID?
    /// Records a range that the transaction depends on.
    let recordRead: (StoreSnapshot.Scope, KeyRange) -> Void
  }

  /// Reads a database at the requested read time.
  func read<Result>(
    _ database: DatabaseName,
    _ consistency: ReadConsistency,
    _ body: (ReadContext) throws -> Result
  ) throws -> Result {
    var time: Int64?
    var transaction: StoreTransactionID?
    var newTransaction: StoreTransactionID?
    switch consistency {
    case .strong: break
    case .time(let readTime): time = readTime
    case .transaction(let id): transaction = id
    case .newTransaction(let options):
      transaction = try service.begin(options, in: database)
      newTransaction = transaction
    }
    if let transaction { time = try service.transactions.transaction(transaction, in: database).readTime }
    return try store.read(database, at: time) { snapshot in
      if let transaction { service.transactions.record(nil, at: snapshot.readTime, in: transaction) }
      return try body(
        ReadContext(snapshot: snapshot, newTransaction: newTransaction) { scope, range in
          guard let transaction else { return }
          let read = TransactionTable.Read(scope: scope, range: range)
          service.transactions.record(read, at: snapshot.readTime, in: transaction)
        }
      )
    }
  }
}
