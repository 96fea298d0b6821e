import FirestoreREST
import Platform
import Synchronization

/// A lock that machines share: an object that names its holder, and that the holder keeps renewing.
///
/// It is taken and renewed conditionally on the object's generation, so that two processes never hold it. A lock that was
/// not renewed for ``duration`` seconds, by the clock of the service, was left by a process that ended without releasing
/// it, and can be taken by any other process.
package final class ObjectLock: Sendable {
  /// The number of seconds for which it holds without being renewed.
  package static let duration: Int64 = 60
  /// The number of seconds between renewals.
  static let renewal = 20.0
  /// The kind of the object, in its metadata.
  static let kind = "lock"
  /// The maximum size of an accepted lock, in bytes.
  static let maximumBytes = 4096

  private enum State {
    case held(generation: Int64)
    /// Somebody else has it, or it could not be renewed in time.
    case lost
    case released
  }

  package let address: StorageAddress
  private let client: StorageClient
  private let content: [UInt8]
  private let state: Mutex<State>
  private let renewing = Mutex<Task<Void, Never>?>(nil)

  private init(_ address: StorageAddress, _ client: StorageClient, content: [UInt8], generation: Int64) {
    self.address = address
    self.client = client
    self.content = content
    state = Mutex(.held(generation: generation))
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
      try await client.write(content, to: address, kind: kind, ifGeneration: generation).map {
        ObjectLock(address, client, content: content, generation: $0.generation)
      }
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

  /// Checks that the lock is still held.
  ///
  /// - Throws: `.tryLater` if it was lost.
  package func assertHeld() throws(Failure) {
    let isHeld = state.withLock { state in if case .held = state { true } else { false } }
    if isHeld { return }
    throw Failure(
      .tryLater,
      "continue writing beside",
      path: address.description,
      cause: "the lock could not be renewed in time, and may be somebody else's",
      remedy: "Nothing of this run counts as an export; run the command again."
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
    let generation = state.withLock { state -> Int64? in
      defer { state = .released }
      if case .held(let generation) = state { return generation }
      return nil
    }
    guard let generation else { return }
    _ = try? await client.delete(address, generation: generation)
  }

  // MARK: Renewing

  private func startRenewing(on storage: CloudStorage) {
    let clock = client.caller.clock
    // This runs on the queue of the storage, because all threads of the pool may be waiting for a file to be written.
    let task = storage.start { [weak self] in
      var renewed = clock.now()
      while !Task.isCancelled {
        do { try await clock.sleep(Self.renewal) } catch { return }
        guard let self else { return }
        switch await self.renew() {
        case true?: renewed = clock.now()
        case false?: return
        case nil:
          // It still belongs to this process, but another may take it once it expires.
          if clock.now() - renewed > Double(Self.duration) - Self.renewal {
            self.state.withLock { $0 = .lost }
            return
          }
        }
      }
    }
    renewing.withLock { $0 = task }
  }

  /// Writes the object again; returns nil if the service could not be reached, false if the lock is lost.
  func renew() async -> Bool? {
    guard case .held(let generation) = state.withLock({ $0 }) else { return false }
    do throws(Failure) {
      let written = try await client.write(content, to: address, kind: Self.kind, ifGeneration: generation)
      state.withLock { state in
        guard case .held = state else { return }
        state = written.map { .held(generation: $0.generation) } ?? .lost
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
    do throws(WireError) {
      return try JSONParser().parse(bytes) { json throws(WireError) in
        json.kind == .object ? json["holder"]?.string.map { String($0.prefix(200)) } : nil
      }
    } catch {
      return nil
    }
  }
}
