import FirestoreModels
import Synchronization
import Testing

@testable import LocalFirestore

@Suite struct CommitClockTests {
  @Test func timesIncreaseWhereTheSourceStandsStillOrGoesBack() {
    let time = Mutex<Int64>(1000)
    let clock = CommitClock { time.withLock { $0 } }
    let first = clock.beginCommit(after: 0)
    let second = clock.beginCommit(after: first)
    time.withLock { $0 = 500 }
    let third = clock.beginCommit(after: second)
    #expect([first, second, third] == [1000, 1001, 1002])
    #expect(clock.beginCommit(after: 5000) == 5001, "after a commit of another process")
  }

  @Test func timesBeyondAllYearsAreNoTrap() {
    let clock = CommitClock { 1000 }
    #expect(clock.beginCommit(after: .max) == .max)
    #expect(clock.beginCommit(after: 0) == .max)
    for time in [Int64.min, -62_135_596_800_000_001] {
      #expect(Timestamp(microseconds: time).seconds == Timestamp.minimumSeconds)
    }
    #expect(Timestamp(microseconds: .max).seconds == Timestamp.maximumSeconds)
  }

  @Test func aReadNeverHasAnEarlierCommitToCome() {
    let clock = CommitClock { 1000 }
    let read = clock.beginRead()
    let commit = clock.beginCommit(after: 0)
    #expect(commit > read)
    #expect(clock.beginRead() >= commit)
  }
}
