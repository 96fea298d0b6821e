import FirestoreModels

/// One request, routed and decoded as far as the URL goes.
struct ServiceRequest {
  /// What is asked for.
  var route: Route
  /// The query's parameters.
  var query: [(name: String, value: String)]
  /// The body.
  var body: [UInt8]
}

/// An answer's body, written piece by piece.
protocol BodyWriter: AnyObject {
  /// What is not sent yet; appended to, and sent when it is long.
  var bytes: [UInt8] { get set }
  /// Sends what is there where it is long enough to be worth it.
  func flushIfLong() throws
}

/// Buffers and parsers that serve one connection's requests, one after another.
final class Workspace {
  let decoder = RequestDecoder()
  let runner = QueryRunner()
}

/// The methods of `google.firestore.v1.Firestore`, and the two of its admin service that tell about databases, over a
/// store.
struct FirestoreService: Sendable {
  let store: DocumentStore
  let transactions: TransactionTable

  /// Makes a service over a store.
  init(_ store: DocumentStore) {
    self.store = store
    transactions = TransactionTable(clock: store.clock)
  }

  /// Answers a request with a body of JSON.
  ///
  /// - Throws: ``FirestoreError``; what was written by then is no whole answer.
  func answer(_ request: ServiceRequest, _ workspace: Workspace, _ out: any BodyWriter) throws {
    let call = ServiceCall(service: self, request: request, workspace: workspace, out: out)
    switch request.route {
    case .health: out.bytes.append(contentsOf: "Ok\n".utf8)
    case .flush(let database): try call.flush(database)
    case .listDatabases(let project): try call.listDatabases(project)
    case .getDatabase(let database): try call.getDatabase(database)
    case .listOperations: try call.listOperations()
    case .get(let database, let path): try call.get(database, path)
    case .list(let database, let parent, let collection): try call.list(database, parent, collection)
    case .create(let database, let parent, let collection): try call.create(database, parent, collection)
    case .patch(let database, let path): try call.patch(database, path)
    case .delete(let database, let path): try call.delete(database, path)
    case .method(let database, let parent, let verb): try call.method(verb, database, parent)
    }
  }
}

/// One call of a method.
struct ServiceCall {
  let service: FirestoreService
  let request: ServiceRequest
  let workspace: Workspace
  let out: any BodyWriter

  var store: DocumentStore { service.store }
  var runner: QueryRunner { workspace.runner }
  var decoder: RequestDecoder { workspace.decoder }

  /// The parameters of the query, of which `known` are allowed.
  func parameters(_ known: Set<String> = []) throws(FirestoreError) -> QueryParameters {
    try QueryParameters(request.query, known: known)
  }

  /// Calls a custom method.
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

  // MARK: Reads

  /// A snapshot of a read, and what it notes.
  struct ReadContext {
    /// What is read.
    let snapshot: Snapshot
    /// The transaction that began with this read.
    let begun: TransactionID?
    /// Notes a range that the transaction depends on.
    let note: (Snapshot.Scope, KeyRange) -> Void
  }

  /// Reads a database at the moment that a request asks for.
  func read<Result>(
    _ database: DatabaseName,
    _ consistency: ReadConsistency,
    _ body: (ReadContext) throws -> Result
  ) throws -> Result {
    var time: Int64?
    var transaction: TransactionID?
    var begun: TransactionID?
    switch consistency {
    case .strong: break
    case .time(let moment): time = moment
    case .transaction(let id): transaction = id
    case .newTransaction(let options):
      transaction = service.transactions.begin(options, in: database)
      begun = transaction
    }
    if let transaction { time = try service.transactions.transaction(transaction, in: database).readTime }
    return try store.read(database, at: time) { snapshot in
      if let transaction { service.transactions.note(nil, at: snapshot.readTime, in: transaction) }
      return try body(
        ReadContext(snapshot: snapshot, begun: begun) { scope, range in
          guard let transaction else { return }
          let read = TransactionTable.Read(scope: scope, range: range)
          service.transactions.note(read, at: snapshot.readTime, in: transaction)
        }
      )
    }
  }
}
