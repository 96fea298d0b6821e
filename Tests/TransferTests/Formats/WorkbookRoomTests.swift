import Testing

@testable import Files
@testable import Tables

/// The space that a workbook needs on disk, compared with what is free.
@Suite struct WorkbookRoomTests {
  @Test func rowsNeedTwoCopiesAndAQuarter() {
    #expect(XLSXWriter.room(forBytes: 0, cells: 0) == 0)
    #expect(XLSXWriter.room(forBytes: 300, cells: 2) == 900)
  }

  @Test func absurdCountsNeedMoreThanAnyDiskHas() {
    for (bytes, cells) in [(Int.max, 0), (0, .max), (.max, .max), (.max / 2, 1), (0, .max / 50)] {
      #expect(XLSXWriter.room(forBytes: bytes, cells: cells) == .max, "\(bytes) bytes, \(cells) cells")
    }
  }

  /// File systems on the network may report more blocks than 64 bits of bytes can count.
  @Test func aDiskWithoutALimitIsNotFull() {
    #expect(FilePaths.bytes(inBlocks: 25, of: 4096) == 102_400)
    for blocks: UInt64 in [1 << 52, 1 << 63, .max] {
      #expect(FilePaths.bytes(inBlocks: blocks, of: 4096) == .max, "\(blocks) blocks")
    }
  }
}
