import FirestoreREST
import Platform
import Synchronization

/// A lock that machines share: an object that names its holder, and that the holder keeps renewing.
///
/// It is taken and renewed conditionally on the object's generation, so that two processes never hold it. A lock that was
/// not renewed for ``duration`` seconds, by the clock of the service, was left by a process that ended without releasing
/// it, and can be taken by any other process. Its holder stops relying on it earlier, ``validity`` seconds after it sent
/// the last renewal that was confirmed, by a clock that continues while the machine is suspended.
package final class ObjectLock: Sendable {
  /// The number of seconds for which it holds without being renewed.
  package static let duration: Int64 = 60
  /// The number of seconds for which its holder relies on it, which leaves time for the request that depends on it.
  static let validity = 45.0
  /// The number of seconds between renewals.
  static let renewal = 20.0
  /// The number of seconds for which a renewal is tried, so that a connection that hangs is replaced in time.
  static let patience = 8.0
  /// The maximum size of an accepted lock, in bytes.
  static let maximumBytes = 4096

  /// A write of the object: the ID that the object then has, and when it was first sent.
  private struct Write {
    var id: String
    var sentAt: Double
  }

  private struct State {
    /// The version that this process wrote; nil if somebody else has the lock, or it was released.
    var generation: Int64?
    /// When the write of that version was sent.
    var renewedAt: Double
    /// A renewal of which it is unknown whether it was applied; it is repeated until that is known.
    var pending: Write?
  }

  package let address: StorageAddress
  private let client: StorageClient
  private let content: [UInt8]
  /// What the IDs of all its writes begin with.
  private let id: String
  private let state: Mutex<State>
  private let renewing = Mutex<Task<Void, Never>?>(nil)

  private init(
    _ address: StorageAddress,
    _ client: StorageClient,
    content: [UInt8],
    id: String,
    _ state: State
  ) {
    self.address = address
    self.client = client
    self.content = content
    self.id = id
    self.state = Mutex(state)
  }

  deinit { renewing.withLock { $0?.cancel() } }

  /// Takes a lock.
  ///
  /// - Parameters:
  ///   - address: The object, `gs://bucket/folder/.gymmigrate.lock`.
  ///   - what: What is locked, a folder, for the failure.
  ///   - holder: The process that takes it, as `host, process 123`.
  /// - Throws: `.tryLater`, with the holder, if somebody else holds it; `.notPermitted`, `.configuration`, `.unavailable`.
  package static func take(
    _ address: String,
    protecting what: String,
    holder: String,
    in storage: CloudStorage
  ) async throws(Failure) -> ObjectLock {
    let lock = try await take(StorageAddress(address), protecting: what, holder: holder, storage.client)
    lock.startRenewing(on: storage)
    return lock
  }

  static func take(
    _ address: StorageAddress,
    protecting what: String,
    holder: String,
    _ client: StorageClient
  ) async throws(Failure) -> ObjectLock {
    let content = content(holder: holder)
    func lock(replacing generation: Int64) async throws(Failure) -> ObjectLock? {
      let id = ObjectUpload.newID()
      let write = write(of: id, client)
      guard let written = try await client.put(content, at: address, replacing: generation, id: write.id)
      else { return nil }
      let state = State(generation: written.generation, renewedAt: write.sentAt)
      let lock = ObjectLock(address, client, content: content, id: id, state)
      // It may have taken a while to reach the service.
      if client.caller.clock.now() - write.sentAt > renewal { _ = await lock.renew() }
      return lock
    }
    // Each round that ends without a lock means that another holder came or went.
    for _ in 0..<10 {
      if let lock = try await lock(replacing: 0) { return lock }
      let (found, time) = try await client.object(at: address, "lock")
      guard let found else { continue }
      let now = time ?? Int64(TokenProvider.wallClock())
      let age = now.subtractingClamped(found.updatedAt.seconds)
      if age <= duration {
        let other = try await Self.holder(of: found, at: address, client)
        throw Failure(
          .tryLater,
          "write to",
          path: what,
          cause:
            "\(other ?? "another run") is writing there since \(found.updatedAt.description.prefix(19))Z or before",
          remedy:
            "Wait until it ends; the lock of a run that was killed ends \(duration) seconds after its last renewal."
        )
      }
      if let lock = try await lock(replacing: found.generation) { return lock }
    }
    throw Failure(
      .tryLater,
      "write to",
      path: what,
      cause: "several others are about to write there",
      remedy: "Try again later."
    )
  }

  private static func write(of id: String, _ client: StorageClient) -> Write {
    Write(id: "\(id)-\(ObjectUpload.newID())", sentAt: client.caller.clock.now())
  }

  /// Checks that the lock was renewed in time, without a request.
  ///
  /// - Throws: `.tryLater` if it may be somebody else's.
  package func assertHeld() throws(Failure) {
    let now = client.caller.clock.now()
    let isHeld = state.withLock { $0.generation != nil && now - $0.renewedAt < Self.validity }
    if !isHeld { throw lost }
  }

  /// Checks with the service that nobody else has had the lock since this process took it.
  ///
  /// - Throws: `.tryLater` if somebody has, or may have; `.notPermitted`, `.unavailable`.
  package func confirmHeld() async throws(Failure) {
    try assertHeld()
    let writer = try await client.object(at: address, "lock").object?.metadata[StorageResource.upload]
    if writer?.utf8.starts(with: "\(id)-".utf8) != true { throw lost }
    try assertHeld()
  }

  private var lost: Failure {
    Failure(
      .tryLater,
      "continue writing beside",
      path: address.description,
      cause: "the lock could not be renewed in time, and may be somebody else's",
      remedy: "Run the command again."
    )
  }

  /// Releases the lock, if the service can be reached; otherwise it expires.
  package func release() async {
    let task = renewing.withLock { task in
      defer { task = nil }
      return task
    }
    task?.cancel()
    await task?.value
    guard let generation = state.withLock({ $0.generation.take() }) else { return }
    _ = try? await client.delete(address, generation: generation)
  }

  // MARK: Renewing

  private func startRenewing(on storage: CloudStorage) {
    let clock = client.caller.clock
    // This runs on the queue of the storage, because all threads of the pool may be waiting for a file to be written.
    let task = storage.start { [weak self] in
      var delay = Self.renewal
      while !Task.isCancelled {
        do { try await clock.sleep(delay) } catch { return }
        guard let self else { return }
        switch await self.renew() {
        case true?: delay = Self.renewal
        case false?: return
        // It still belongs to this process, and ``assertHeld()`` determines for how long that is relied upon.
        case nil: delay = 1
        }
      }
    }
    renewing.withLock { $0 = task }
  }

  /// Writes the object again; returns nil if the service did not confirm it, false if the lock is lost.
  func renew() async -> Bool? {
    let next = Self.write(of: id, client)
    let begun = state.withLock { state -> (generation: Int64, write: Write)? in
      guard let generation = state.generation else { return nil }
      let write = state.pending ?? next
      state.pending = write
      return (generation, write)
    }
    guard let (generation, write) = begun else { return false }
    let client = StorageClient(endpoint: client.endpoint, caller: client.caller.within(Self.patience))
    do throws(Failure) {
      let written = try await client.put(content, at: address, replacing: generation, id: write.id)
      state.withLock { state in
        if state.generation == nil { return }
        state = State(generation: written?.generation, renewedAt: write.sentAt)
      }
      return written != nil
    } catch {
      return nil
    }
  }

  // MARK: The object

  private static func content(holder: String) -> [UInt8] {
    JSONWriter.object {
      $0.member("holder", holder)
      $0.member("version", gymmigrateVersion)
    } + [UInt8(ascii: "\n")]
  }

  /// Returns the holder of a lock; nil if it does not say.
  private static func holder(
    of object: StorageResource,
    at address: StorageAddress,
    _ client: StorageClient
  ) async throws(Failure) -> String? {
    guard object.bytes <= maximumBytes, object.bytes > 0 else { return nil }
    let bytes: [UInt8]
    do throws(Failure) {
      bytes = try await ObjectDownload(object, at: address, client).bytes(0..<object.bytes)
    } catch  where error.kind == .inputMissing {
      return nil
    }
    let holder = try? JSONParser().parse(bytes) { json throws(WireError) in
      json.kind == .object ? json["holder"]?.string : nil
    }
    return holder.map { String($0.prefix(200)) }
  }
}

extension StorageClient {
  /// Writes a lock over the version with the given generation; returns nil if that is not the current one.
  fileprivate func put(
    _ content: [UInt8],
    at address: StorageAddress,
    replacing generation: Int64,
    id: String
  ) async throws(Failure) -> StorageResource? {
    try await write(content, to: address, kind: "lock", ifGeneration: generation, id: id)
  }
}
