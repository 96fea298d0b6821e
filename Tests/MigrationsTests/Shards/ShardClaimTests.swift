import FirestoreModels
import FirestoreREST
import Foundation
import Storage
import Synchronization
import TestSupport
import Testing

@testable import Shards

@Suite("Who works on a task")
struct ShardClaimTests {
  /// A clock that moves only while somebody sleeps.
  private final class HandClock: Sendable {
    private let time = Mutex(1000.0)
    /// Called at each sleep.
    let onSleep: @Sendable (Double) async throws -> Void

    init(onSleep: @escaping @Sendable (Double) async throws -> Void = { _ in }) { self.onSleep = onSleep }

    var now: Double { time.withLock { $0 } }

    var clock: RunClock {
      RunClock(
        now: { self.now },
        sleep: { seconds in
          self.time.withLock { $0 += seconds }
          try await self.onSleep(self.now)
        },
        random: { 0 }
      )
    }
  }

  private func keeper(_ process: String, _ folder: ShardFolder, _ clock: RunClock = .system) -> ClaimKeeper {
    ClaimKeeper(ShardClaim(task: 3, holder: "\(process)@here", process: process), in: folder, clock: clock)
  }

  private func withFolder(_ body: (ShardFolder) async throws -> Void) async throws {
    try await withTemporaryDirectory { url in
      try await body(ShardFolder(try LocalObjectStore(creating: url.appendingPathComponent("w").path)))
    }
  }

  @Test(
    "A claim that is not renewed is free after a minute, by the clock of who waits, and its holder finds out"
  )
  func expiry() async throws {
    try await withFolder { folder in
      let first = keeper("elsewhere/1/2/3", folder)
      #expect(try await first.take(unless: { false }, onWait: { _ in }))
      let hand = HandClock()
      let second = keeper("elsewhere/1/2/4", folder, hand.clock)
      let waits = Mutex(0)
      #expect(try await second.take(unless: { false }, onWait: { _ in waits.withLock { $0 += 1 } }))
      #expect(hand.now - 1000 > ClaimKeeper.expiry && hand.now - 1000 < ClaimKeeper.expiry + 5)
      #expect(waits.withLock { $0 } == 1)
      await #expect { try await first.renew() } throws: { ($0 as? Failure)?.kind == .tryLater }
      // What the first one gives back is not the second one's.
      try await first.giveBack()
      #expect(try await folder.claim(of: 3)?.claim.holder == "elsewhere/1/2/4@here")
      try await second.renew()
      try await second.giveBack()
      #expect(try await folder.claim(of: 3) == nil)
    }
  }

  @Test("A claim that is renewed is waited for, until the work is done")
  func renewed() async throws {
    try await withFolder { folder in
      let first = keeper("elsewhere/1/2/3", folder)
      let isFirst = try await first.take(unless: { false }, onWait: { _ in })
      #expect(isFirst)
      let hand = HandClock { now in
        // Every half a minute, for five minutes.
        if Int(now) % 30 == 0 { try await first.renew() }
      }
      let second = keeper("elsewhere/1/2/4", folder, hand.clock)
      let isSecond = try await second.take(unless: { hand.now > 1300 }, onWait: { _ in })
      #expect(!isSecond)
      #expect(hand.now <= 1302)
      let holder = try await folder.claim(of: 3)?.claim.holder
      #expect(holder == "elsewhere/1/2/3@here")
    }
  }

  @Test("The claim of a process of this machine that has ended is free at once")
  func ended() async throws {
    try await withFolder { folder in
      // A process of this machine with another start than that of the process that has its number.
      let own = WorkerProcess.current
      let gone = own.split(separator: "/").dropLast().joined(separator: "/") + "/1"
      #expect(WorkerProcess.hasEnded(gone) && !WorkerProcess.hasEnded(own))
      #expect(!WorkerProcess.hasEnded("another/machine/1/1") && !WorkerProcess.hasEnded(""))
      let isGone = try await keeper(gone, folder).take(unless: { false }, onWait: { _ in })
      #expect(isGone)
      let hand = HandClock()
      let isTaken = try await keeper(own, folder, hand.clock).take(unless: { false }, onWait: { _ in })
      #expect(isTaken)
      #expect(hand.now == 1000)
    }
  }
}
