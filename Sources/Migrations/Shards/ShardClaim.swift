import Files
import MigrationEngine
import Platform
import Storage

/// `claims/NNNNN.json`: the claim of a worker on a task of a sharded run.
package struct ShardClaim: JSONRecord, Equatable {
  /// The user who works on the task, as `user@host`.
  package var holder: String
  /// The process, as returned by ``WorkerProcess/current``.
  package var process: String
  /// The number of renewals, which makes each renewal a different version.
  package var renewals = 0
  /// The task.
  package var task: Int

  package init(task: Int, holder: String, process: String) {
    self.task = task
    self.holder = holder
    self.process = process
  }
}

/// Identifies a process such that another process on the same machine can tell whether it is alive.
package enum WorkerProcess {
  /// This process: the boot ID of its machine, its PID namespace, its PID and its start time.
  package static var current: String {
    [boot, namespace, String(getpid()), start(of: getpid()) ?? "0"].joined(separator: "/")
  }

  /// Whether a process is known to have ended: it was on this machine and no longer exists.
  package static func hasEnded(_ process: String) -> Bool {
    let parts = parts(of: process)
    guard isHere(process), let id = Int32(parts[2]) else { return false }
    guard let start = start(of: id) else { return true }
    return !start.isIdentical(to: parts[3])
  }

  /// Whether a process is or was on this machine.
  private static func isHere(_ process: String) -> Bool {
    let parts = parts(of: process)
    return parts.count == 4 && !boot.isEmpty && parts[0].isIdentical(to: boot)
      && parts[1].isIdentical(to: namespace)
  }

  private static func parts(of process: String) -> [String] {
    process.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
  }

  private static var boot: String { line("/proc/sys/kernel/random/boot_id") }

  private static var namespace: String {
    var buffer = [CChar](repeating: 0, count: 128)
    let count = readlink("/proc/self/ns/pid", &buffer, buffer.count - 1)
    return count > 0
      ? String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self) : ""
  }

  /// Returns the start time of a process in clock ticks; nil if it does not exist, or has ended and is a zombie.
  private static func start(of id: Int32) -> String? {
    let text = line("/proc/\(id)/stat")
    // The name in parentheses may contain anything; the state is the first field after it, and the start time the 20th.
    guard let end = text.lastIndex(of: ")") else { return nil }
    let fields = text[text.index(after: end)...].split(separator: " ")
    guard fields.count > 19, fields[0] != "Z", fields[0] != "X" else { return nil }
    return String(fields[19])
  }

  private static func line(_ path: String) -> String {
    let (descriptor, _) = SystemCall.open(path, O_RDONLY)
    if descriptor < 0 { return "" }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = bytes.withUnsafeMutableBytes { SystemCall.read(descriptor, into: $0).count }
    return String(decoding: bytes.prefix(max(0, count)).prefix { $0 != 0x0A }, as: UTF8.self)
  }
}

/// Acquires, renews and releases the claim on one task.
///
/// A claim is free if it was not renewed for ``expiry`` seconds, by the clock of the waiting process, or if its process was on
/// this machine and has ended. Clocks of different machines are never compared.
package actor ClaimKeeper {
  /// The seconds after which a claim that was not renewed is free.
  package static let expiry = 60.0
  /// The seconds between renewals.
  static let renewal = 15.0
  /// The seconds between two reads of another process's claim.
  static let look = 1.0

  private let folder: ShardFolder
  private let clock: RunClock
  private var claim: ShardClaim
  private var version: ObjectVersion?
  private var renewedAt = 0.0
  private let turns = Turns()

  package init(_ claim: ShardClaim, in folder: ShardFolder, clock: RunClock = .system) {
    self.claim = claim
    self.folder = folder
    self.clock = clock
  }

  private var name: String { ShardFolder.claimName(claim.task) }

  /// Takes the claim, waiting while another process holds it.
  ///
  /// - Parameters:
  ///   - isDone: Returns whether the work of the task has been done meanwhile.
  ///   - onWait: Called once with the holder if it has to wait.
  /// - Returns: Whether the claim was taken; false if the work is done.
  /// - Throws: ``Failure``; `CancellationError`.
  package func take(
    unless isDone: @Sendable () async throws -> Bool,
    onWait: @Sendable (ShardClaim) -> Void
  ) async throws -> Bool {
    var seen: (version: ObjectVersion, since: Double)?
    var hasWaited = false
    while true {
      if try await put(.missing) { return true }
      guard let object = try await folder.store.read(name, limit: ShardFolder.largestRecord) else { continue }
      if try await isDone() { return false }
      let other = try folder.parse(ShardClaim.self, object.bytes, name)
      let now = clock.now()
      if seen?.version != object.version { seen = (object.version, now) }
      if WorkerProcess.hasEnded(other.process) || now - (seen?.since ?? now) > Self.expiry {
        if try await put(.version(object.version)) { return true }
        continue
      }
      if !hasWaited { onWait(other) }
      hasWaited = true
      try await clock.sleep(Self.look)
    }
  }

  /// Renews the claim.
  ///
  /// - Throws: `.tryLater` if another process took it.
  package func renew() async throws(Failure) {
    claim.renewals += 1
    if let version, try await put(.version(version)) { return }
    throw lost
  }

  /// Checks that the process may write: its claim is recent, and after a conflict it is still its own.
  ///
  /// - Throws: As ``renew()``.
  package func check(_ occasion: CommitGate.Occasion) async throws {
    let isFresh = clock.now() - renewedAt <= Self.expiry / 2
    if isFresh, occasion == .commit { return }
    try await turns.take {
      if isFresh { try await self.look() } else { try await self.renew() }
    }
  }

  private func look() async throws(Failure) {
    let object = try await folder.store.read(name, limit: ShardFolder.largestRecord)
    if object == nil || object?.version != version { throw lost }
  }

  private var lost: Failure {
    Failure(
      .tryLater,
      "keep working on task \(claim.task) of",
      path: "\(folder.store)",
      cause: "another process took it over",
      remedy: "Leave it to that one; 'gymmigrate shard status \(folder.store)' shows which."
    )
  }

  /// Deletes the claim if it is still held.
  package func giveBack() async throws(Failure) {
    guard let version = version.take() else { return }
    _ = try await folder.store.delete(name, version: version)
  }

  private func put(_ precondition: ObjectPrecondition) async throws(Failure) -> Bool {
    let begun = clock.now()
    guard case .written(let info) = try await folder.store.write(claim.line, to: name, if: precondition)
    else {
      return false
    }
    version = info.version
    renewedAt = begun
    return true
  }

  /// Runs `body` while holding and renewing the claim.
  ///
  /// - Throws: Errors of `body`; `.tryLater` if the claim is lost meanwhile.
  package nonisolated func holding<Result: Sendable>(
    _ body: @escaping @Sendable () async throws -> Result
  ) async throws -> Result {
    try await clock.renewing(every: Self.renewal) {
      try await self.turns.take { try await self.renew() }
    } while: {
      try await body()
    }
  }
}

extension ShardFolder {
  /// Returns the claim on a task, and when it was renewed by the store's clock; nil if nobody works on it.
  package func claim(of task: Int) async throws(Failure) -> (claim: ShardClaim, renewedAt: Timestamp)? {
    let name = Self.claimName(task)
    guard let object = try await store.read(name, limit: Self.largestRecord) else { return nil }
    return (try parse(ShardClaim.self, object.bytes, name), object.updatedAt)
  }
}
