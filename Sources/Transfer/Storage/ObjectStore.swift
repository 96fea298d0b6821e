import Files
import Platform

/// A place for complete objects that several machines share: a folder of a file system, or a prefix of a bucket.
///
/// Names are relative, with `/` between segments; a segment is never empty, `.` or `..`. An object is complete or missing, and
/// a write states the version that it may replace, so that two writers never overwrite each other unknowingly.
///
///     let store = try storage.store(at: "gs://example-backups/shards/")
///     guard case .written = try await store.write(plan, to: "plan.json", if: .missing) else { … }
///     let plan = try await store.read("plan.json", limit: 8 << 20)
package protocol ObjectStore: Sendable, CustomStringConvertible {
  /// Reads an object piece by piece.
  ///
  /// - Parameters:
  ///   - version: The version to read; nil for the current one.
  ///   - body: Called with each piece, all of the same version.
  /// - Returns: The object that was read; nil if it does not exist (or no longer in that version).
  /// - Throws: `.inputMissing`, `.notPermitted` or `.unavailable` if it cannot be read; the errors of `body`.
  func read(
    _ name: String,
    version: ObjectVersion?,
    _ body: (ObjectInfo, UnsafeRawBufferPointer) throws(Failure) -> Void
  ) async throws(Failure) -> ObjectInfo?

  /// Writes a small object as a whole.
  ///
  /// A retry of a write whose response was lost counts as written, not as refused.
  ///
  /// - Throws: `.cannotWrite`, `.notPermitted` or `.unavailable`; then the object is either unchanged or complete.
  func write(
    _ bytes: [UInt8],
    to name: String,
    if precondition: ObjectPrecondition
  ) async throws(Failure)
    -> ObjectWrite

  /// Copies a local file to an object, in pieces of constant memory.
  ///
  /// - Throws: The errors of ``write(_:to:if:)``.
  func upload(
    _ path: String,
    to name: String,
    if precondition: ObjectPrecondition
  ) async throws(Failure)
    -> ObjectWrite

  /// Lists all objects whose names begin with a prefix, in the byte order of their names.
  func list(_ prefix: String) async throws(Failure) -> [ObjectInfo]

  /// Deletes an object; a missing one counts as deleted.
  ///
  /// - Parameter version: The version to delete; nil for any.
  /// - Returns: Whether the object is gone; false if it exists in another version.
  func delete(_ name: String, version: ObjectVersion?) async throws(Failure) -> Bool
}

extension ObjectStore {
  /// Reads a small object.
  ///
  /// - Parameter limit: The largest accepted size in bytes.
  /// - Returns: Nil if it does not exist.
  /// - Throws: `.inputMalformed` if it is larger; the errors of ``read(_:version:_:)``.
  package func read(_ name: String, limit: Int) async throws(Failure) -> StoredObject? {
    var bytes: [UInt8] = []
    let info = try await read(name, version: nil) { info, piece throws(Failure) in
      let count = max(info.bytes, bytes.count + piece.count)
      if count > limit {
        let cause = "it has \(count) bytes, and at most \(limit) are accepted"
        throw Failure(.inputMalformed, "read", path: "\(self)/\(name)", cause: cause)
      }
      bytes.append(contentsOf: piece)
    }
    return info.map { StoredObject(bytes: bytes, version: $0.version, updatedAt: $0.updatedAt) }
  }

  /// Copies an object to a local file, which appears complete or not at all.
  ///
  /// - Parameter version: The version to read; nil for the current one.
  /// - Throws: `.cannotWrite`; the errors of ``read(_:version:_:)``.
  package func download(
    _ name: String,
    version: ObjectVersion?,
    to path: String
  ) async throws(Failure) -> ObjectInfo? {
    var file = try OutputFile(path, gzip: false)
    let info = try await read(name, version: version) { _, piece throws(Failure) in try file.write(piece) }
    if info == nil { return nil }
    _ = try file.finish()
    return info
  }
}

/// The version of an object: its generation in a bucket, or the identity of the file.
///
/// It changes with every write.
package struct ObjectVersion: Sendable, Equatable {
  /// An opaque text.
  package var text: String

  package init(_ text: String) { self.text = text }
}

/// The state that an object must be in for a write.
package enum ObjectPrecondition: Sendable, Equatable {
  /// Any state.
  case none
  /// It does not exist.
  case missing
  /// It is still this version.
  case version(ObjectVersion)
}

/// The result of writing an object.
package enum ObjectWrite: Sendable, Equatable {
  case written(ObjectInfo)
  /// The precondition does not hold; nothing was written.
  case refused
}

/// An object without its content.
package struct ObjectInfo: Sendable, Equatable {
  /// The name relative to the store.
  package var name: String
  /// The size in bytes.
  package var bytes: Int
  package var version: ObjectVersion
  /// The time at which it was written, by the clock of the store.
  package var updatedAt: Timestamp
  /// Whether this program wrote it as a file, according to the metadata of a bucket's object.
  package var isOwnFile = false
}

/// A small object with its content.
package struct StoredObject: Sendable, Equatable {
  package var bytes: [UInt8]
  package var version: ObjectVersion
  /// The time at which it was written, by the clock of the store.
  package var updatedAt: Timestamp
}
