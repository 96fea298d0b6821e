import FirestoreModels
import Foundation
import GymModels
import RunSupport
import TestSupport
import Testing

@testable import Files
@testable import FirestoreREST
@testable import Runs
@testable import Tables
@testable import Transfer

@Suite("The progress of an import")
struct ImportProgressTests {
  @Test("The share is that of the bytes read of all files.")
  func share() {
    let meter = ImportProgress([100, 0, 300])
    #expect(meter.share(stage: 0, position: 0) == 0)
    #expect(meter.share(stage: 0, position: 50) == 0.125)
    #expect(meter.share(stage: 1, position: 0) == 0.25)
    #expect(meter.share(stage: 2, position: 100) == 0.5)
    #expect(meter.share(stage: 2, position: 300) == 1)
    // A file that grew meanwhile does not exceed its share.
    #expect(meter.share(stage: 2, position: .max) == 1)
    #expect(meter.share(stage: 3, position: 0) == nil)
  }

  @Test("There is no share if a size is unknown or there is nothing to read.")
  func unknown() {
    for sizes in [[100, nil], [nil], [], [0, 0]] as [[Int?]] {
      #expect(ImportProgress(sizes).share(stage: 0, position: 0) == nil)
      #expect(ImportProgress(sizes, limit: 10).share(stage: 0, position: 0, documents: 5) == nil)
    }
  }

  @Test("With a limit the share is that of the documents or of the files, whichever is larger.")
  func limit() {
    let meter = ImportProgress([1000], limit: 10)
    #expect(meter.share(stage: 0, position: 100, documents: 5) == 0.5)
    #expect(meter.share(stage: 0, position: 100, documents: 10) == 1)
    #expect(meter.share(stage: 0, position: 1000, documents: 3) == 1)
    #expect(ImportProgress([1000], limit: 0).share(stage: 0, position: 100, documents: 0) == 0.1)
  }

  @Test("Within a chunk the position is interpolated; after the last one it is the file's size.")
  func chunks() {
    var position = ReadingPosition()
    #expect(position.bytes(used: 0) == 0)
    position.read(1000, upTo: 100)
    #expect([0, 500, 1000].map { position.bytes(used: $0) } == [0, 50, 100])
    position.read(10, upTo: 110)
    #expect([0, 5, 10].map { position.bytes(used: $0) } == [100, 105, 110])
    position.read(0, upTo: 118)
    #expect(position.bytes(used: 0) == 118)
  }

  // MARK: Readers

  /// Documents of three texts each, which do not compress to nothing, as a file.
  private func write(_ count: Int, to path: String, _ format: ExportFormat) throws {
    var random = SplitMix64(seed: 6)
    let collection = try #require(CollectionPath("things"))
    let output = try ExportOutput(.file(path), format)
    let writer = try output.writer(for: collection)
    try writer.append(
      contentsOf: (0..<count).map { number in
        func text() -> Value { .string(String(random.next(), radix: 36)) }
        let path = DocumentPath(collection, "t\(1_000_000 + number)")
        return RawDocument(path: path, fields: ["a": text(), "b": text(), "c": text()])
      }
    )
    try writer.finish()
    _ = try output.finish()
  }

  @Test(
    "The position of every reader advances evenly from the start of its file to its end.",
    arguments: ["things.jsonl", "things.jsonl.gz", "things.csv", "things.csv.gz", "things.xlsx"]
  )
  func readers(_ name: String) throws {
    let folder = try ScratchFolder()
    let path = folder.file(name)
    let zone = try LocalTimeZone(named: "UTC")
    let count = 20_000
    switch name.split(separator: ".")[1] {
    case "jsonl": try write(count, to: path, .jsonLines())
    case "xlsx": try write(count, to: path, .xlsx(XLSXOptions(timeZone: zone)))
    default:
      try write(count, to: folder.file("things.csv"), .csv(CSVOptions()))
      if name.hasSuffix(".gz") {
        try #require(Judge.hasPython)
        let script =
          "import gzip,sys; open(sys.argv[2],'wb').write(gzip.compress(open(sys.argv[1],'rb').read()))"
        try Judge.run(["-c", script, folder.file("things.csv"), path])
      }
    }
    let sources = try ImportSource.resolve([path], schema: GymSchema.schema)
    let inputs = try ImportInputs(
      Import.Options(ImportJob(files: []), sources: sources, table: TableOptions(timeZone: zone)),
      progress: .silent()
    )
    let size = try #require(inputs.sizes.first ?? nil)
    if !name.hasSuffix("xlsx") { #expect(size == (try contents(path).count)) }
    let input = try #require(try inputs.open(0))
    var positions: [Int] = []
    while try input.next() != nil { positions.append(input.position) }
    #expect(positions.count == count)
    #expect(zip(positions, positions.dropFirst()).allSatisfy { $0 <= $1 })
    #expect(input.position == size)
    // Rows are of about one length each, so the position is about that of an even way, to a hundredth or a chunk.
    for tenth in 1..<10 {
      let share = Double(positions[count * tenth / 10]) / Double(size)
      #expect(abs(share - Double(tenth) / 10) < 0.05, "\(tenth): \(share)")
    }
  }
}
