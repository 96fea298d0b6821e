import FirestoreModels
import FirestoreREST
import Testing

@testable import Storage

@Suite("Locks in a bucket") struct ObjectLockTests {
  @Test("Of two who take a lock, one gets it, and the other is told who")
  func locks() async throws {
    try await withStorage { storage, client async throws in
      let address = try StorageAddress("gs://bucket/p/.lock")
      storage.setDate("Tue, 24 Nov 2026 02:00:59 GMT")
      let lock = try await ObjectLock.take(address, protecting: "gs://bucket/p", holder: "process 7", client)
      let failure = await #expect(throws: Failure.self) {
        try await ObjectLock.take(address, protecting: "gs://bucket/p", holder: "process 8", client)
      }
      #expect(failure?.kind == .tryLater)
      #expect(failure?.cause.contains("process 7") ?? false)
      #expect(await lock.renew() == true)
      try lock.assertHeld()
      await lock.release()
      #expect(storage.names == [])
      _ = try await ObjectLock.take(address, protecting: "gs://bucket/p", holder: "process 8", client)
    }
  }

  @Test("A lock that nobody renews is anybody's, and its old holder learns of it")
  func expiredLock() async throws {
    try await withStorage { storage, client async throws in
      let address = try StorageAddress("gs://bucket/p/.lock")
      let old = try await ObjectLock.take(address, protecting: "gs://bucket/p", holder: "process 7", client)
      // 61 s after the time that the storage gives its objects.
      storage.setDate("Tue, 24 Nov 2026 02:01:01 GMT")
      let new = try await ObjectLock.take(address, protecting: "gs://bucket/p", holder: "process 8", client)
      #expect(await old.renew() == false)
      #expect(throws: Failure.self) { try old.assertHeld() }
      await old.release()
      try new.assertHeld()
      #expect(storage.names == ["p/.lock"])
    }
  }

  @Test(
    "A lock is relied upon for a time after its last confirmed renewal was sent, whatever became of later ones"
  )
  func lockWithoutRenewal() async throws {
    try await withStorage { storage, client async throws in
      let clock = client.caller.clock
      let address = try StorageAddress("gs://bucket/p/.lock")
      let lock = try await ObjectLock.take(address, protecting: "gs://bucket/p", holder: "process 7", client)
      try await clock.sleep(44)
      try lock.assertHeld()
      try await clock.sleep(2)
      #expect(throws: Failure.self) { try lock.assertHeld() }
      await #expect(throws: Failure.self) { try await lock.confirmHeld() }
      // Nobody has taken it, which the next renewal shows.
      #expect(await lock.renew() == true)
      try lock.assertHeld()
      try await lock.confirmHeld()
    }
  }

  @Test("A renewal of which nothing was heard is the lock's own, and counts from when it was first sent")
  func lostRenewal() async throws {
    try await withStorage { storage, client async throws in
      let address = try StorageAddress("gs://bucket/p/.lock")
      let lock = try await ObjectLock.take(address, protecting: "gs://bucket/p", holder: "process 7", client)
      storage.plan(.lostAfter, "POST")
      for _ in 0..<12 { storage.plan(.status(503), "GET") }
      #expect(await lock.renew() == nil)
      let later = 46 - client.caller.clock.now()
      try await client.caller.clock.sleep(later)
      var renewed = await lock.renew()
      while renewed == nil { renewed = await lock.renew() }
      #expect(renewed == true)
      #expect(throws: Failure.self) { try lock.assertHeld() }
      #expect(await lock.renew() == true)
      try await lock.confirmHeld()
    }
  }

  @Test("A lock that somebody else has taken is not confirmed")
  func takenLock() async throws {
    try await withStorage { storage, client async throws in
      let address = try StorageAddress("gs://bucket/p/.lock")
      let old = try await ObjectLock.take(address, protecting: "gs://bucket/p", holder: "process 7", client)
      storage.setDate("Tue, 24 Nov 2026 02:01:01 GMT")
      _ = try await ObjectLock.take(address, protecting: "gs://bucket/p", holder: "process 8", client)
      try old.assertHeld()
      await #expect(throws: Failure.self) { try await old.confirmHeld() }
    }
  }
}
