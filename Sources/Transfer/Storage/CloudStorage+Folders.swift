package import FirestoreModels

/// An object below a folder, and whether a file writer made it.
package struct OwnedObject: Sendable, Equatable {
  /// The name relative to the folder.
  package var name: String
  package var version: ObjectVersion
  /// Whether it was written as a file by this program, as its metadata says.
  package var isOwnFile: Bool
}

extension CloudStorage {
  /// Returns all objects whose names begin with that of a folder, in the order of their names' bytes.
  ///
  /// - Parameter folder: An address that ends in `/`.
  /// - Throws: `.notPermitted`, `.configuration` for a missing bucket, `.unavailable`.
  package func objects(below folder: String) async throws(Failure) -> [OwnedObject] {
    let address = try StorageAddress(folder)
    var all: [OwnedObject] = []
    try await client.list(address, "list") { objects, _ throws(Failure) in
      for object in objects {
        let name = try address.relative(object.name)
        if name.isEmpty { continue }
        let isOwn = object.isOf(kind: BucketFiles.kind)
        all.append(OwnedObject(name: name, version: object.version, isOwnFile: isOwn))
      }
    }
    return all
  }

  /// Deletes a version of an object; false if another version is there.
  ///
  /// - Throws: `.notPermitted`, `.unavailable`.
  package func delete(_ address: String, version: ObjectVersion) async throws(Failure) -> Bool {
    try await client.delete(try StorageAddress(address), generation: Int64(version.text))
  }

  /// Makes an object point to a folder beside it.
  ///
  /// - Throws: `.cannotWrite` if there is another object of that name; `.tryLater` if somebody else changes it meanwhile;
  ///   `.notPermitted`, `.unavailable`.
  package func point(_ text: String, to name: String) async throws(Failure) {
    let address = try StorageAddress(text)
    let found = try await client.object(at: address, "write").object
    if let found, !LatestPointer.isOne(found) {
      throw Failure(
        .cannotWrite,
        "write",
        path: text,
        cause: "there is an object of that name that no export wrote",
        remedy: "Move it away."
      )
    }
    let object = SmallObject(address, kind: LatestPointer.kind, client)
    if try await object.write(Array("\(name)\n".utf8), ifGeneration: found?.generation ?? 0) == nil {
      throw BucketFiles.replaced(address)
    }
  }
}
