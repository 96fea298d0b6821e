import Files
import MigrationEngine
import Platform
import Storage

/// `claims/NNNNN.json`: who works on a task of a sharded run.
package struct ShardClaim: JSONRecord, Equatable {
  /// Who works on it, as `user@host`.
  package var holder: String
  /// The process, as ``WorkerProcess``.
  package var process: String
  /// The number of renewals, so that each one is another version.
  package var renewals = 0
  /// The task.
  package var task: Int

  package init(task: Int, holder: String, process: String) {
    self.task = task
    self.holder = holder
    self.process = process
  }
}

/// A process of a machine, named so that another process of that machine can tell whether it is alive.
package enum WorkerProcess {
  /// This process: the boot of its machine, its namespace of process IDs, its ID and its start.
  package static var current: String {
    [boot, namespace, String(getpid()), start(of: getpid()) ?? "0"].joined(separator: "/")
  }

  /// Whether a process is known to have ended: it was on this machine, and is there no more.
  package static func hasEnded(_ process: String) -> Bool {
    let parts = parts(of: process)
    guard isHere(process), let id = Int32(parts[2]) else { return false }
    guard let start = start(of: id) else { return true }
    return !start.isIdentical(to: parts[3])
  }

  /// Whether a process is, or was, of this machine.
  package static func isHere(_ process: String) -> Bool {
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

  /// Returns the start time of a process in clock ticks; nil if it does not exist, or has ended and was not waited for.
  private static func start(of id: Int32) -> String? {
    let text = line("/proc/\(id)/stat")
    // The name in parentheses may hold anything; the state is the first field behind it, the start the 20th.
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

/// Acquires, renews and releases the claim of one task.
///
/// A claim that was not renewed for ``expiry`` seconds, by the clock of the process that waits, is free; so is one of a
/// process of this machine that has ended. No clock is compared with another.
package actor ClaimKeeper {
  /// Seconds after which a claim that was not renewed is free.
  package static let expiry = 60.0
  /// Seconds between renewals.
  static let renewal = 15.0
  /// Seconds between two reads of a claim of another process.
  static let look = 1.0

  private let folder: ShardFolder
  private let clock: RunClock
  private var claim: ShardClaim
  private var version: ObjectVersion?
  private var renewedAt = 0.0
  /// The claim of the process that it was taken from, which had not ended its work; nil if it was free.
  package private(set) var former: ShardClaim?
  private let turns = Turns()

  package init(_ claim: ShardClaim, in folder: ShardFolder, clock: RunClock = .system) {
    self.claim = claim
    self.folder = folder
    self.clock = clock
  }

  private var name: String { ShardFolder.claimName(claim.task) }

  /// Takes the claim; waits while another process holds it.
  ///
  /// - Parameters:
  ///   - isDone: Whether the work of the task is done meanwhile.
  ///   - onWait: Called once with the holder, if it has to wait.
  /// - Returns: Whether it was taken; false if the work is done.
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
        if try await put(.version(object.version)) {
          former = other
          return true
        }
        continue
      }
      if !hasWaited { onWait(other) }
      hasWaited = true
      try await clock.sleep(Self.look)
    }
  }

  /// Renews it.
  ///
  /// - Throws: `.tryLater` if another process took it.
  package func renew() async throws(Failure) {
    claim.renewals += 1
    if let version, try await put(.version(version)) { return }
    throw lost
  }

  /// Checks that the process may write: its claim is not old, and after a conflict it is still its own.
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

  /// Deletes the claim, if it is still held.
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

  /// Runs `body` while the claim is held and renewed.
  ///
  /// - Throws: What `body` throws; `.tryLater` if the claim is lost meanwhile.
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
  /// Returns the claim of a task, and when it was renewed by the clock of the store; nil if nobody works on it.
  package func claim(of task: Int) async throws(Failure) -> (claim: ShardClaim, renewedAt: Timestamp)? {
    let name = Self.claimName(task)
    guard let object = try await store.read(name, limit: Self.largestRecord) else { return nil }
    return (try parse(ShardClaim.self, object.bytes, name), object.updatedAt)
  }
}
