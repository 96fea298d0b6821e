import ArgumentParser
import Models
import Transfer

/// Collections as they are named on the command line.
enum CollectionArguments {
  /// Collections of gymmigrate's own, left out of `--all`.
  static let ownPrefix = "_gymmigrate"

  static func validate(_ names: [String], all: Bool) throws {
    if all, !names.isEmpty { throw ValidationError("Name collections or give --all, not both.") }
    if !all, names.isEmpty { throw ValidationError("Name at least one collection, or give --all.") }
    for name in names {
      if let defect = CollectionSelection.defect(of: name) { throw ValidationError("'\(name)' \(defect).") }
    }
  }

  static func paths(_ names: [String]) throws -> [CollectionPath] {
    var seen: Set<CollectionPath> = []
    return names.compactMap { CollectionPath($0) }.filter { seen.insert($0).inserted }
  }

  /// The root collections of the database, in the order of their names, without gymmigrate's own.
  static func roots(of client: FirestoreClient) async throws -> [CollectionPath] {
    try await client.collectionIDs().filter { !$0.hasPrefix(ownPrefix) }.compactMap { CollectionPath($0) }
      .sorted()
  }
}
