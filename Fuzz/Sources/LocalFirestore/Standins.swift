import Models

// What stands beside the storage in the embedded store, and is wanted to read a request.

/// The id of a transaction, opaque to clients.
struct TransactionID: Hashable, Sendable {
  var bytes: [UInt8]
}

extension FirestoreError {
  /// An `INVALID_ARGUMENT`.
  static func invalid(_ message: String) -> FirestoreError { FirestoreError(.invalidArgument, message) }
}
