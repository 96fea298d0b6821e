import Files

/// The object `latest` beside dated exports: its content is the name of the newest one.
///
/// It corresponds to the symbolic link of that name in a local folder, and is recognized by its metadata.
package enum LatestPointer {
  package static let name = "latest"
  /// The kind of the object, in its metadata.
  package static let kind = "latest"
  /// The maximum size of its content, in bytes.
  static let maximumBytes = 64

  static func isOne(_ object: StorageResource) -> Bool {
    object.bytes <= maximumBytes && object.isOf(kind: kind)
  }

  /// Returns the folder that the content names; nil if it is not the name of a folder.
  static func target(_ bytes: [UInt8]) -> String? {
    guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
    let name = text.utf8.last == UInt8(ascii: "\n") ? String(text.dropLast()) : text
    if name.isEmpty || name.utf8.contains(UInt8(ascii: "/")) || StorageAddress.defect(ofName: name) != nil {
      return nil
    }
    return name
  }
}

extension CloudStorage {
  /// Returns the version of an object that points to a folder beside it; nil if there is none.
  ///
  /// - Throws: `.cannotWrite` if there is a different object with that name; `.notPermitted`, `.unavailable`.
  package func pointer(at text: String) async throws(Failure) -> Int64? {
    let address = try StorageAddress(text)
    let found = try await client.object(at: address, "write").object
    if let found, !LatestPointer.isOne(found) {
      let cause = "there is an object of that name that no export wrote"
      throw .cannotWrite(text, cause, remedy: "Move it away.")
    }
    return found?.generation
  }

  /// Makes an object point to a folder beside it.
  ///
  /// - Parameter version: The version to replace, from ``pointer(at:)``; nil for none.
  /// - Returns: The new version.
  /// - Throws: `.tryLater` if somebody else has changed it in the meantime; `.notPermitted`, `.unavailable`.
  package func point(
    _ text: String,
    to name: String,
    replacing version: Int64?
  ) async throws(Failure) -> Int64 {
    let address = try StorageAddress(text)
    let (bytes, kind) = (Array("\(name)\n".utf8), LatestPointer.kind)
    let written = try await client.write(bytes, to: address, kind: kind, ifGeneration: version ?? 0)
    guard let written else { throw BucketFiles.replaced(address) }
    return written.generation
  }
}
