/// The method that a request calls.
enum Route: Equatable {
  /// The health check.
  case health
  /// Deletes all documents of a database.
  case flush(DatabaseName)
  case listDatabases(project: String)
  case getDatabase(DatabaseName)
  case get(DatabaseName, DocumentPath)
  /// Lists a collection below a document, or below the root if `parent` is empty.
  case list(DatabaseName, parent: String, collection: String)
  case create(DatabaseName, parent: String, collection: String)
  case patch(DatabaseName, DocumentPath)
  case delete(DatabaseName, DocumentPath)
  /// Calls a custom method on a document, or on the root if `parent` is empty.
  case method(DatabaseName, parent: String, verb: String)

  /// Routes a request.
  ///
  /// - Throws: ``FirestoreError``: `.notFound` for unknown methods, `.invalidArgument` for invalid names.
  init(method: String, target: RequestTarget) throws(FirestoreError) {
    let segments = target.segments
    if segments.isEmpty, method == "GET" || method == "HEAD" {
      self = .health
      return
    }
    if segments.first == "emulator", segments.count == 7, segments[1] == "v1", segments[2] == "projects",
      segments[4] == "databases", segments[6] == "documents", method == "DELETE"
    {
      self = .flush(try Self.database(segments[3], segments[5]))
      return
    }
    guard segments.count >= 4, segments[0] == "v1", segments[1] == "projects" else {
      throw Self.unknown(method)
    }
    if Self.isManaged(segments[3...], target.verb) { throw Self.managed }
    guard segments[3] == "databases" else { throw Self.unknown(method) }
    if segments.count == 4, method == "GET" {
      self = .listDatabases(project: segments[2])
      return
    }
    guard segments.count >= 5 else { throw Self.unknown(method) }
    let database = try Self.database(segments[2], segments[4])
    if segments.count == 5, method == "GET" {
      self = .getDatabase(database)
      return
    }
    guard segments.count >= 6, segments[5] == "documents" else { throw Self.unknown(method) }
    self = try Self.documents(method, target.verb, database, Array(segments[6...]))
  }

  /// Whether the rest of a path belongs to the service's own exports, imports and backups.
  private static func isManaged(_ rest: ArraySlice<String>, _ verb: String?) -> Bool {
    let kinds = ["operations", "backupSchedules"]
    if rest.count == 2 { return verb == "exportDocuments" || verb == "importDocuments" }
    return rest.first == "locations" || rest.dropFirst(2).first.map(kinds.contains) ?? false
  }

  private static var managed: FirestoreError {
    FirestoreError(
      .unimplemented,
      "The embedded store has no managed exports, imports, operations and backups."
    )
  }

  private static func documents(
    _ method: String,
    _ verb: String?,
    _ database: DatabaseName,
    _ ids: [String]
  ) throws(FirestoreError) -> Route {
    let path = ids.joined(separator: "/")
    if let verb {
      guard ids.isEmpty || ids.count % 2 == 0 else {
        throw .invalid("'\(path)' is not the path of a document.")
      }
      return .method(database, parent: ids.isEmpty ? "" : try document(path).string, verb: verb)
    }
    if ids.isEmpty { throw unknown(method) }
    switch (method, ids.count % 2 == 0) {
    case ("GET", true): return .get(database, try document(path))
    case ("PATCH", true): return .patch(database, try document(path))
    case ("DELETE", true): return .delete(database, try document(path))
    case ("GET", false), ("POST", false):
      let collection = ids[ids.count - 1]
      guard let collectionPath = CollectionPath(path) else {
        throw .invalid("'\(path)' has an empty segment.")
      }
      if let violation = PathLimits.violations(of: collectionPath).first { throw .invalid(violation.message) }
      let parent = ids.dropLast().joined(separator: "/")
      return method == "GET"
        ? .list(database, parent: parent, collection: collection)
        : .create(database, parent: parent, collection: collection)
    default: throw unknown(method)
    }
  }

  private static func document(_ path: String) throws(FirestoreError) -> DocumentPath {
    guard let path = DocumentPath(path) else { throw .invalid("'\(path)' has an empty segment.") }
    if let violation = PathLimits.violations(of: path).first { throw .invalid(violation.message) }
    return path
  }

  private static func unknown(_ method: String) -> FirestoreError {
    FirestoreError(.notFound, "There is no method for this \(method) request.")
  }

  private static func database(_ project: String, _ id: String) throws(FirestoreError) -> DatabaseName {
    let name = DatabaseName(project: project, database: id)
    guard name.hasValidID else { throw .invalid("'\(id)' is not a valid database id.") }
    guard !project.isEmpty, project.utf8.allSatisfy({ $0 > 0x20 && $0 != UInt8(ascii: "/") }) else {
      throw .invalid("The project id is not valid.")
    }
    return name
  }

  /// Whether the method streams, and returns its errors in an array.
  var isStreaming: Bool {
    guard case .method(_, _, let verb) = self else { return false }
    return ["runQuery", "batchGet", "runAggregationQuery"].contains(verb)
  }
}
