import FirestoreModels
import Platform
import TestSupport
import Testing

@testable import Files

@Suite struct WriteBehindTests {
  @Test func aLargeFileIsWhole() throws {
    let folder = try ScratchFolder()
    var random = SplitMix64(seed: 1)
    var file = try OutputFile(folder.file("out"), digest: true)
    var written = 0
    var digest = try SHA256Digest()
    while written < 40 << 20 {
      let piece = [UInt8](
        repeating: UInt8(truncatingIfNeeded: random.next()),
        count: 1 + Int(random.next() % 300_000)
      )
      try file.write(piece)
      piece.withUnsafeBytes { digest.update($0) }
      written += piece.count
    }
    let receipt = try file.finish()
    let sha256 = digest.finish()
    #expect(receipt == OutputFile.Receipt(path: folder.file("out"), bytes: written, sha256: sha256))
    var read = try SHA256Digest()
    let bytes = try contents(folder.file("out"))
    bytes.withUnsafeBytes { read.update($0) }
    #expect(bytes.count == written)
    #expect(read.finish() == sha256)
  }

  @Test func windowsOfAnySizeLeaveTheBytes() throws {
    let folder = try ScratchFolder()
    for window in [1, 4096, 5000, 65_536] {
      let (descriptor, _) = SystemCall.open(folder.file("\(window)"), O_RDWR | O_CREAT)
      defer { close(descriptor) }
      var behind = WriteBehind(window: window)
      var expected: [UInt8] = []
      for piece in [1, 4095, 1, 20_000, 0, 100_000] as [Int] {
        let bytes = (0..<piece).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        #expect(bytes.withUnsafeBytes { SystemCall.write(descriptor, $0) } == 0)
        expected += bytes
        if window > 1 || expected.count < 5000 {
          #expect(behind.advance(descriptor, to: expected.count) == 0)
        }
      }
      #expect(try contents(folder.file("\(window)")) == expected)
    }
  }

  @Test func whatHasNoDiskIsNoError() throws {
    var ends: [Int32] = [0, 0]
    #expect(pipe(&ends) == 0)
    defer { for end in ends { close(end) } }
    var behind = WriteBehind(window: 10)
    #expect(behind.advance(ends[1], to: 1000) == 0)
  }

  #if os(Linux)
    @Test func anErrorOnTheWayIsTold() {
      var behind = WriteBehind(window: 10)
      #expect(behind.advance(-1, to: 9) == 0)
      #expect(behind.advance(-1, to: 10) == EBADF)
    }
  #endif

  @Test func aFileThatIsTakenBackIsASpool() throws {
    let folder = try ScratchFolder()
    var file = try OutputFile(folder.file("out"))
    try file.write("header")
    try file.write([UInt8](repeating: 1, count: 300_000))
    guard file.canBecomeSpool, var spool = try file.spool() else {
      Issue.record("it cannot become a spool")
      return
    }
    #expect(folder.names.isEmpty)
    try spool.append([2, 3])
    var bytes: [UInt8] = []
    try spool.read(from: 6, pieces: 1000) { bytes.append(contentsOf: $0) }
    #expect(bytes == [UInt8](repeating: 1, count: 300_000) + [2, 3])
    for path in [folder.file("out.gz"), "/dev/null"] {
      let other = try OutputFile(path)
      let canBecomeSpool = other.canBecomeSpool
      #expect(!canBecomeSpool, "\(path)")
    }
  }
}
