import Files

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension FirestoreConnection {
  private static let current = Locked<FirestoreConnection?>(nil)

  /// The connection of the process, which ``FirestoreDataStore/init(collectionName:)`` uses; nil until ``use(_:)`` is
  /// called.
  public static var ofProcess: FirestoreConnection? { current.withLock { $0 } }

  /// Sets the connection of the process; call it once, before the first store without a connection is created.
  public static func use(_ connection: FirestoreConnection) { current.withLock { $0 = connection } }
}

extension FirestoreDataStore {
  /// Creates a store in the database of the process, without sending anything.
  ///
  /// - Precondition: ``FirestoreConnection/use(_:)`` was called, and the name is that of a collection. If either is known
  ///   only at run time, use ``init(collection:in:pageSize:)``, which throws.
  public init(collectionName: String) {
    guard let connection = FirestoreConnection.ofProcess else {
      preconditionFailure("Call FirestoreConnection.use(_:) before a store without a connection is made.")
    }
    do {
      try self.init(collection: collectionName, in: connection)
    } catch {
      preconditionFailure("\(error)")
    }
  }

  /// Deletes the document with an ID, in the spelling in which `Codable` writes it; its subcollections are kept.
  public func delete(id: UUID) async throws { try await delete(id: id.uuidString) }
}
