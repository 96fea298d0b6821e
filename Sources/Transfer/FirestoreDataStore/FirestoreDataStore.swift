import FirestoreREST
import TypedDocuments

/// The documents of one collection as values of a type.
///
///     struct Menu: Codable, Sendable, Identifiable {
///       var id: String
///       var name: String
///       var price: Double
///     }
///     let menus = try FirestoreDataStore<Menu>(collection: "menus", in: connection)
///     try await menus.upsert(Menu(id: "lunch", name: "Lunch", price: 12.5))
///     for try await menu in menus.list() { print(menu.name) }
///
/// The `id` of a value is its document ID. A plain `id` is also a field of the document; a `@DocumentID` is not. Values are
/// coded as by `FirestoreDecoder` and `FirestoreEncoder`.
///
/// Requests that may be repeated are retried up to the limit of the connection. Every method throws `FirestoreError` if the
/// service refuses the request, ``FirestoreConnectionError`` if the service cannot be reached, `DocumentFailure` if a
/// document is not of the type, `EncodingError` if a value cannot be stored in Firestore, and `CancellationError` if the
/// task was cancelled.
///
/// It is a value without mutable state, and so does not have to be an actor: requests of several tasks run concurrently.
public struct FirestoreDataStore<T: Codable & Sendable & Identifiable>: Sendable
where T.ID: DocumentIdentifier {
  /// The path of the collection: `menus`, `restaurants/r1/menus`.
  public let collection: CollectionPath

  let connection: FirestoreConnection
  private let pageSize: Int

  /// Creates a store, without sending anything.
  ///
  /// - Parameters:
  ///   - collection: The path of the collection below the database.
  ///   - connection: The database.
  ///   - pageSize: The number of documents that are read per request, 1 to 300.
  /// - Throws: `FirestoreError` (`.invalidArgument`) if the path is not that of a collection.
  public init(collection: String, in connection: FirestoreConnection, pageSize: Int = 300) throws {
    guard let path = CollectionPath(collection) else {
      throw FirestoreError(.invalidArgument, "'\(collection)' is not the path of a collection")
    }
    if let violation = PathLimits.violations(of: path).first {
      throw FirestoreError(.invalidArgument, violation.description)
    }
    self.collection = path
    self.connection = connection
    self.pageSize = min(max(pageSize, 1), 300)
  }

  // MARK: Reading

  /// Returns the document with an ID; nil if there is none.
  ///
  /// - Throws: `DocumentFailure` also if the `id` of the value is not that ID, byte for byte: it would be written elsewhere.
  public func get(id: String) async throws -> T? {
    let path = try path(of: id)
    let document = try await rethrowingPublicErrors { try await connection.client.get(path).document }
    return try document.map { try decode($0, index: 0) }
  }

  /// Reads all documents, in the order of their IDs, page by page.
  ///
  /// The next page is requested while the current one is processed, and at most three are held.
  public func list() -> Documents { Documents(store: self) }

  /// Polls the collection, and returns what has changed since the previous poll.
  ///
  /// The first poll returns every document as ``DocumentChange/added(_:)``. Later ones compare the update times: a document
  /// that was changed several times between two polls is ``DocumentChange/modified(_:)`` once, and one that was created and
  /// deleted is not seen at all. Each poll reads, and is billed for, every document in the collection. The sequence ends,
  /// without an error, when the task is cancelled.
  ///
  /// - Parameters:
  ///   - interval: The time between the end of a poll and the next one.
  ///   - clock: The clock that measures the interval.
  public func streamAll(
    every interval: Duration = .seconds(30),
    clock: any Clock<Duration> = ContinuousClock()
  ) -> Changes {
    Changes(store: self, interval: interval, clock: clock)
  }

  // MARK: Writing

  /// Creates a document, or updates those of its fields that the type has.
  ///
  /// Other fields of the document are kept. A property that is nil deletes its field. A field is replaced with everything
  /// in it: a map loses members that the property does not have.
  ///
  /// - Returns: The document ID; a new one of 20 random letters and digits if the value's `@DocumentID` is nil.
  @discardableResult
  public func upsert(_ value: T) async throws -> String {
    let write = try write(for: value)
    try await perform(write)
    return write.path.id
  }

  /// Creates or updates documents as ``upsert(_:)`` does, in concurrent commits of at most 100 documents.
  ///
  /// It is not atomic. If it ends early, some documents are written and others are not; repeating it is safe for values
  /// with IDs. Values with the same ID are written in order. On the real service, it starts at 500 documents per second, as
  /// Google recommends.
  ///
  /// - Returns: The number of documents written.
  /// - Throws: ``FirestoreWriteError`` if the service refuses some of the documents; all others are written.
  @discardableResult
  public func upsert(contentsOf values: some Sequence<T>) async throws -> Int {
    try await inBatches { writer in
      for value in values { try await writer.submit(try write(for: value)) }
    }
  }

  /// Deletes the document with an ID, if there is one; its subcollections are kept.
  public func delete(id: String) async throws {
    try await perform(Write(path: try path(of: id), operation: .delete))
  }

  /// Deletes all documents of the collection, page by page, in commits of at most 100.
  ///
  /// Their subcollections are kept. Documents that others create in the meantime may be left, too.
  ///
  /// - Returns: The number of documents deleted.
  @discardableResult
  public func deleteAllDocuments() async throws -> Int {
    let pages = pages(mask: [.documentName])
    return try await inBatches { writer in
      for try await page in pages {
        for document in page { try await writer.submit(Write(path: document.path, operation: .delete)) }
      }
    }
  }

  // MARK: Support

  func pages(mask: [FieldPath]? = nil) -> DocumentPages {
    connection.client.pages(of: CollectionRead(collection, pageSize: pageSize, mask: mask))
  }

  /// - Parameter index: The index among the documents that were read, for the error.
  func decode(_ document: RawDocument, index: Int) throws -> T {
    let name = connection.client.database.name(of: document.path)
    let value: T
    do {
      value = try FirestoreDecoder().decode(T.self, from: document)
    } catch {
      throw DocumentFailure(name: name, index: index, error: error)
    }
    // Otherwise an upsert of the value would write to another document.
    guard let id = value.id.documentID, id.isIdentical(to: document.path.id) else {
      throw DocumentFailure(
        name: name,
        index: index,
        location: ["id"],
        reason: "it is not the document's ID: use @DocumentID, or correct the field that it is read from"
      )
    }
    return value
  }

  private func path(of id: String) throws -> DocumentPath {
    if let violation = PathLimits.violation(ofID: id, isDocument: true) {
      throw FirestoreError(.invalidArgument, violation.description)
    }
    return DocumentPath(collection, id)
  }

  private func write(for value: T) throws -> Write {
    let path = try path(of: value.id.documentID ?? newDocumentID())
    let (fields, mask) = try FirestoreEncoder().update(value)
    if value.id.documentID == nil,
      let read = try? FirestoreDecoder().decode(T.self, from: fields, path: path), read.id.documentID == nil
    {
      throw FirestoreError(.invalidArgument, "the value has no ID; only a @DocumentID gets a new one")
    }
    return Write(path: path, operation: .update(fields: fields, mask: mask))
  }

  private func perform(_ write: Write) async throws {
    switch try await rethrowingPublicErrors({ try await connection.client.perform(write) }) {
    case .rejected(let error): throw error
    case .written, .unchanged, .skipped: break
    case .conflicted: throw BatchTally.conflict
    }
  }

  /// Calls `body` with a batch writer, and returns the number of writes that were made.
  private func inBatches(_ body: (BatchWriter) async throws -> Void) async throws -> Int {
    let tally = BatchTally()
    try await rethrowingPublicErrors {
      try await BatchWriter.run(
        connection.client,
        limits: BatchLimits(),
        pacer: WritePacer(ramp: connection.isRealService),
        delegate: tally,
        body
      )
    }
    return try tally.result()
  }
}
