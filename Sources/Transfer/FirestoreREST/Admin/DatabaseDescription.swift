/// The service's description of a database (`projects.databases.get`).
package struct DatabaseDescription: Sendable, Equatable {
  /// `FIRESTORE_NATIVE` or `DATASTORE_MODE`.
  package var type: String?
  /// `STANDARD` or `ENTERPRISE`.
  package var edition: String?
  /// A location such as `nam5`.
  package var location: String?
  /// `POINT_IN_TIME_RECOVERY_ENABLED` or `…_DISABLED`.
  package var pointInTimeRecovery: String?
  /// The earliest moment that can be read; with point-in-time recovery, only whole minutes are readable before the last
  /// hour.
  package var earliestVersionTime: Timestamp?

  init(_ json: JSONCursor) {
    type = json["type"]?.string
    edition = json["databaseEdition"]?.string
    location = json["locationId"]?.string
    pointInTimeRecovery = json["pointInTimeRecoveryEnablement"]?.string
    earliestVersionTime = json["earliestVersionTime"]?.string.flatMap { Timestamp($0) }
  }

  package var hasRecovery: Bool {
    pointInTimeRecovery?.isIdentical(to: "POINT_IN_TIME_RECOVERY_ENABLED") ?? false
  }

  package func summary(of name: String) -> String {
    let more = [edition.map { "\($0.lowercased()) edition" }, location.map { "in \($0)" }].compactMap { $0 }
    return ([name + (type == nil ? "" : " in native mode")] + more).joined(separator: ", ")
  }
}

extension FirestoreClient {
  /// Returns the service's description of the database.
  package func describeDatabase() async throws(Failure) -> DatabaseDescription {
    try await caller.call(
      .getDatabase,
      get(databaseURL),
      operation: "describe",
      path: database.description
    ) { (_, root) throws(CallFailure) in
      guard root.kind == .object else { throw .malformed("the response is not an object") }
      return DatabaseDescription(root)
    }
  }
}
