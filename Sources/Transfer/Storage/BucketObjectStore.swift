import Files
import Platform

/// An object store in a bucket: all objects whose names begin with a prefix.
package struct BucketObjectStore: ObjectStore {
  /// The kind of its objects, in their metadata.
  private static let kind = "object"

  private let root: StorageAddress
  private let client: StorageClient

  /// - Parameter address: The folder; a trailing `/` may be omitted.
  package init(_ address: StorageAddress, _ client: StorageClient) {
    root = address.asFolder
    self.client = client
  }

  /// The address without a trailing `/`, so that names can follow.
  package var description: String { FilePaths.bare(root.description) }

  package func read(
    _ name: String,
    version: ObjectVersion?,
    _ body: (ObjectInfo, UnsafeRawBufferPointer) throws(Failure) -> Void
  ) async throws(Failure) -> ObjectInfo? {
    let address = root.appending(name)
    // An object that is replaced between the lookup and its first piece is looked up again.
    for _ in 0..<10 {
      guard let object = try await client.object(at: address, generation: version?.generation).object else {
        try await client.assertBucket(of: address)
        return nil
      }
      let info = info(object)
      var download = ObjectDownload(object, at: address, client)
      do throws(Failure) {
        while let piece = try await download.nextPiece() {
          try piece.withUnsafeBufferPointer { piece throws(Failure) in
            try body(info, UnsafeRawBufferPointer(piece))
          }
        }
        return info
      } catch  where error.kind == .inputMissing && version == nil && download.next.lowerBound == 0 {
        continue
      }
    }
    throw Failure(
      .tryLater,
      "read",
      path: address.description,
      cause: "it is replaced faster than it can be read",
      remedy: "Try again later."
    )
  }

  package func write(
    _ bytes: [UInt8],
    to name: String,
    if precondition: ObjectPrecondition
  ) async throws(Failure) -> ObjectWrite {
    let address = root.appending(name)
    let generation = precondition.generation
    let object = try await client.write(bytes, to: address, kind: Self.kind, ifGeneration: generation)
    return object.map { .written(info($0)) } ?? .refused
  }

  package func upload(
    _ path: String,
    to name: String,
    if precondition: ObjectPrecondition
  ) async throws(Failure) -> ObjectWrite {
    let address = root.appending(name)
    guard
      var upload = try await ObjectUpload.start(
        address,
        ifGeneration: precondition.generation,
        kind: Self.kind,
        client
      )
    else { return .refused }
    do throws(Failure) {
      return try await Self.send(path, by: &upload).map { .written(info($0)) } ?? .refused
    } catch {
      await upload.abandon()
      throw error
    }
  }

  private static func send(
    _ path: String,
    by upload: inout ObjectUpload
  ) async throws(Failure) -> StorageResource? {
    let (descriptor, code) = SystemCall.open(path, O_RDONLY)
    if descriptor < 0 { throw Failure.cannotRead(path, errno: code) }
    defer { close(descriptor) }
    var piece = [UInt8](repeating: 0, count: ObjectUpload.pieceBytes)
    while true {
      // Pieces have to be full, however short the reads, because the service accepts only multiples of 256 KiB.
      var count = 0
      while count < piece.count {
        let (more, code) = piece.withUnsafeMutableBytes {
          SystemCall.read(descriptor, into: UnsafeMutableRawBufferPointer(rebasing: $0[count...]))
        }
        if code != 0 { throw Failure.cannotRead(path, errno: code) }
        if more == 0 {
          piece.removeLast(piece.count - count)
          return try await upload.finish(piece)
        }
        count += more
      }
      try await upload.send(piece)
    }
  }

  package func list(_ prefix: String) async throws(Failure) -> [ObjectInfo] {
    var all: [ObjectInfo] = []
    try await client.list(root.appending(prefix)) { objects, _ throws(Failure) in
      for object in objects {
        if try !root.relative(object.name).isEmpty { all.append(info(object)) }
      }
    }
    return all
  }

  package func delete(_ name: String, version: ObjectVersion?) async throws(Failure) -> Bool {
    let address = root.appending(name)
    return try await client.delete(address, generation: version?.generation)
  }

  private func info(_ object: StorageResource) -> ObjectInfo {
    ObjectInfo(
      name: String(decoding: object.name.utf8.dropFirst(root.name.utf8.count), as: UTF8.self),
      bytes: object.bytes,
      version: object.version,
      updatedAt: object.updatedAt,
      isOwnFile: object.isOf(kind: BucketFiles.kind)
    )
  }
}

extension ObjectVersion {
  /// The generation; for a version of another store, one that no object has.
  fileprivate var generation: Int64 { Int64(text) ?? -1 }
}

extension ObjectPrecondition {
  /// The generation that an object must have: nil for any, 0 for a missing object.
  fileprivate var generation: Int64? {
    switch self {
    case .none: nil
    case .missing: 0
    case .version(let version): version.generation
    }
  }
}
