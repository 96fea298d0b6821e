import FirestoreModels
import Foundation
import TestSupport
import Testing

@testable import Files
@testable import Tables

@Suite("Managed exports of Google's are read exactly, or refused by name")
struct ManagedExportTests {
  @Test(
    "What Google's emulator exported are the documents that its REST gave.",
    arguments: ManagedFixture.names
  )
  func documents(_ name: String) throws {
    let read = try ManagedFixture.documents(of: ManagedFixture.resource(name)).sorted { $0.path < $1.path }
    let expected = try ManagedFixture.lines(of: ManagedFixture.resource("\(name).jsonl"))
    #expect(read.map(\.path) == expected.map(\.path))
    for (read, expected) in zip(read, expected) {
      #expect(read.fields == expected.fields, "\(read.path)")
    }
  }

  @Test("The database, the end and the number of documents are known before they are read.")
  func metadata() throws {
    let export = try #require(try ManagedExport(at: ManagedFixture.resource("named-database")))
    #expect(export.database == DatabaseName(project: "demo-project", database: "zweite"))
    #expect(export.documents == 14)
    #expect(export.bytes == 3731)
    #expect(export.endTime == Timestamp("2026-11-25T14:23:17Z"))
  }

  @Test(
    "A log of the emulator's records is the emulator's file to the byte.",
    arguments: ManagedFixture.names
  )
  func log(_ name: String) throws {
    let original = "\(ManagedFixture.resource(name))/\(ManagedFixture.output)"
    let folder = try ScratchFolder()
    try ManagedFixture.write(ManagedFixture.records(of: original), to: folder.file("log"))
    #expect(try contents(folder.file("log")) == contents(original))
  }

  /// More documents than are decoded at a time: they come in their order, also those before damage, which ends the
  /// reading each time it is asked.
  @Test(
    "What is decoded ahead comes in its order, and what stops the reading after it.",
    arguments: [false, true]
  )
  func order(isDamaged: Bool) throws {
    let folder = try ScratchFolder()
    let writer = try ManagedWriter(folder.file("export"), of: DatabaseName(project: "demo-project"))
    let documents = (0..<3_000).map { number in
      RawDocument(
        path: DocumentPath(CollectionPath(nil, "x"), "d\(10_000 + number)"),
        fields: ["n": .integer(Int64(number)), "text": .string(String(repeating: "a", count: number % 700))]
      )
    }
    try writer.append(contentsOf: documents)
    try writer.finish()
    let export = try #require(try ManagedExport(at: folder.file("export")))
    if isDamaged {
      let output = try #require(export.outputs.first)
      var bytes = try contents(output)
      bytes[bytes.count / 2] ^= 1
      try Data(bytes).write(to: URL(fileURLWithPath: output))
    }
    let reader = ManagedReader(export)
    var read: [RawDocument] = []
    var failures: [Failure] = []
    while failures.count < 2 {
      do throws(Failure) {
        guard let (number, document) = try reader.next() else { break }
        read.append(try document.get())
        #expect(number == read.count)
      } catch {
        failures.append(error)
      }
    }
    #expect(failures.count == (isDamaged ? 2 : 0))
    #expect(failures.allSatisfy { $0.cause.contains("has not its checksum") })
    #expect(read == Array(documents.prefix(read.count)))
    #expect(isDamaged ? (1_000..<2_000).contains(read.count) : read.count == 3_000)
  }

  @Test("Records of any length end anywhere in a block, and come back; a padded file is the same.")
  func blocks() throws {
    let folder = try ScratchFolder()
    let room = LogFormat.blockSize - LogFormat.headerSize
    let counts = [0, 1, room, 5, room - 7, room - 14, room - 13, 3 * room, 0, room - 21, room - 1]
    for shift in 0..<30 {
      let records = (counts + [shift] + counts).map { count in (0..<(count + shift)).map { UInt8($0 & 255) } }
      try ManagedFixture.write(records, to: folder.file("log"))
      #expect(try ManagedFixture.records(of: folder.file("log")) == records)
      var padded = try contents(folder.file("log"))
      padded += Array(repeating: 0, count: LogFormat.blockSize - padded.count % LogFormat.blockSize)
      #expect(try ManagedFixture.records(of: folder.write(padded, to: "padded")) == records)
    }
  }

  @Test(
    "A fragment without data fills the last seven bytes of a block, and fewer are zeros.",
    arguments: 5...9
  )
  func endOfBlock(_ left: Int) throws {
    let folder = try ScratchFolder()
    let records = [
      Array(repeating: UInt8(1), count: LogFormat.blockSize - LogFormat.headerSize - left), [9], [],
    ]
    try ManagedFixture.write(records, to: folder.file("log"))
    let bytes = try contents(folder.file("log"))
    let end = LogFormat.blockSize - left
    if left < 7 {
      #expect(bytes[end..<LogFormat.blockSize].allSatisfy { $0 == 0 })
      #expect(bytes.count == LogFormat.blockSize + 8 + 7)
    } else {
      #expect(Array(bytes[(end + 4)..<(end + 7)]) == [UInt8(min(1, left - 7)), 0, left == 7 ? 2 : 1])
      #expect(bytes.count == LogFormat.blockSize + (left == 7 ? 8 + 7 : 7))
    }
    #expect(try ManagedFixture.records(of: folder.file("log")) == records)
  }

  @Test("Random documents are the same after they were written and read.", arguments: 1...8)
  func roundTrip(_ seed: UInt64) throws {
    let folder = try ScratchFolder()
    let database = DatabaseName(project: "p", database: seed.isMultiple(of: 2) ? "(default)" : "named")
    var random = RandomDocuments(seed: seed, database: database, isStored: true)
    var documents: [RawDocument] = (0..<400).map { _ in
      var document = random.document()
      (document.createTime, document.updateTime) = (nil, nil)
      return document
    }
    documents[7].fields["long"] = .string(String(repeating: "ñ", count: 100_000))
    documents[8].fields = [
      "a": .array([.null, .map(["v": .array([])]), .map([:])]), "none": .map([:]), "empty": .array([]),
      "v": .map(["__type__": .string("__vector__"), "value": .array([.double(-0.0), .double(.nan)])]),
      "no vector": .map(["__type__": .string("__vector__"), "value": .array([])]),
      "whole": .map(["__type__": .string("__vector__"), "value": .array([.integer(1)])]),
    ]
    let writer = try ManagedWriter(folder.file("e"), of: database)
    for start in stride(from: 0, to: documents.count, by: 100) {
      try writer.append(contentsOf: Array(documents[start..<(start + 100)]))
    }
    try writer.finish()
    #expect(try ManagedExport(at: folder.file("e"))?.database == database)
    let read = try ManagedFixture.documents(of: folder.file("e"))
    for (read, written) in zip(read, documents) { #expect(read == written) }
    #expect(read.count == documents.count)
    #expect(throws: Failure.self) { try ManagedWriter(folder.file("e"), of: database) }
  }

  // MARK: Damage

  @Test("A thousand damaged exports are named or harmless, and never other documents.")
  func mutations() throws {
    var random = SplitMix64(seed: 37)
    var named = 0
    for name in ManagedFixture.names {
      let expected = try ManagedFixture.documents(of: ManagedFixture.resource(name))
      let fixture = try ManagedFixture(name)
      for _ in 0..<334 {
        let file = fixture.path(fixture.files.randomElement(using: &random) ?? "")
        let original = try contents(file)
        if let bytes = Self.damaged(original, &random) {
          try Data(bytes).write(to: URL(fileURLWithPath: file))
        } else {
          try FileManager.default.removeItem(atPath: file)
        }
        do {
          let read = try ManagedFixture.documents(of: fixture.path)
          let isSame = read == expected
          #expect(isSame, "\(file) became other documents")
        } catch let failure as Failure {
          named += 1
          #expect([.inputMalformed, .inputMissing].contains(failure.kind), "\(failure)")
          #expect(failure.path?.hasPrefix(fixture.path) ?? false, "\(failure)")
        }
        try Data(original).write(to: URL(fileURLWithPath: file))
      }
    }
    #expect(named > 600)
  }

  /// The bytes of a file with some damage; nil for a file that is gone.
  private static func damaged(_ original: [UInt8], _ random: inout SplitMix64) -> [UInt8]? {
    var bytes = original
    let place = Int.random(in: 0..<bytes.count, using: &random)
    switch Int.random(in: 0..<7, using: &random) {
    case 0: return nil
    case 1: bytes.removeSubrange(place...)
    case 2: bytes.remove(at: place)
    case 3: bytes.insert(UInt8.random(in: 0...255, using: &random), at: place)
    case 4: for index in place..<min(place + 40, bytes.count) { bytes[index] = 0 }
    case 5: bytes.insert(contentsOf: bytes[place...].prefix(32 << 10), at: place)
    default: bytes[place] ^= 1 << UInt8.random(in: 0...7, using: &random)
    }
    return bytes
  }

  @Test(
    "Records that are damaged under a right checksum are documents, which stay what they are, or refused."
  )
  func damagedRecords() throws {
    var random = SplitMix64(seed: 38)
    let records = try ManagedFixture.records(
      of: "\(ManagedFixture.resource("every-value"))/\(ManagedFixture.output)"
    )
    .filter { $0.count < 4000 }
    var refused = 0
    for _ in 0..<5000 {
      let record = try #require(records.randomElement(using: &random))
      guard let bytes = Self.damaged(record, &random) else { continue }
      guard let (database, document) = Self.decoded(bytes) else {
        refused += 1
        continue
      }
      let again = Self.decoded(try EntityEncoder(database: database).bytes(of: document))
      #expect(again?.database == database)
      #expect(again?.document == document)
    }
    #expect(refused > 2000)
  }

  private static func decoded(_ record: [UInt8]) -> (database: DatabaseName, document: RawDocument)? {
    record.span.withUnsafeBytes { bytes in try? EntityDecoder.document(bytes) }
  }

  @Test("Damage is named by file, block and byte.")
  func place() throws {
    let fixture = try ManagedFixture("every-value")
    let file = fixture.path(ManagedFixture.output)
    var bytes = try contents(file)
    bytes[70_000] ^= 1
    try Data(bytes).write(to: URL(fileURLWithPath: file))
    let failure = #expect(throws: Failure.self) { try ManagedFixture.documents(of: fixture.path) }
    #expect(failure?.path == file)
    #expect(failure?.cause == "block 3, byte 69872: a fragment has not its checksum")
  }

  // MARK: Folders

  @Test("A folder that is not whole is missing something, by name.")
  func incomplete() throws {
    let fixture = try ManagedFixture("small")
    try FileManager.default.removeItem(atPath: fixture.path("small.overall_export_metadata"))
    let failure = #expect(throws: Failure.self) { try ManagedExport(at: fixture.path) }
    #expect(failure?.kind == .inputMissing)
    #expect(failure?.cause.contains("*.overall_export_metadata") ?? false)
    let record = try #require(try ManagedFixture.records(of: fixture.path(ManagedFixture.output)).first)
    for (made, cause) in [
      (
        try ManagedFixture(records: [record], documents: 2),
        "there are 1 documents in it, and 2 were exported"
      ),
      (try ManagedFixture(records: [record], files: []), "there are 0 documents in it, and 1 were exported"),
      (try ManagedFixture(records: [record], files: ["../output-0"]), "is no file of its folder"),
      (try ManagedFixture(records: [record], files: ["output-1"]), "No such file"),
    ] {
      let failure = #expect(throws: Failure.self) { try ManagedFixture.documents(of: made.path) }
      #expect(failure?.cause.contains(cause) ?? false, "\(failure?.description ?? "")")
    }
  }

  @Test("An export is named by its folder, by its overall file, or by the folder of Firebase's emulators.")
  func names() throws {
    let fixture = try ManagedFixture("small")
    #expect(try ManagedFixture.documents(of: fixture.path("small.overall_export_metadata")).count == 47)
    let about =
      #"{"version":"1","firestore":{"path":"small","metadata_file":"small/small.overall_export_metadata"}}"#
    _ = try fixture.folder.write(Array(about.utf8), to: "firebase-export-metadata.json")
    #expect(try ManagedFixture.documents(of: fixture.folder.path).count == 47)
    #expect(try ManagedExport(at: ManagedFixture.resource("small.jsonl")) == nil)
    try FileManager.default.copyItem(
      atPath: fixture.path("small.overall_export_metadata"),
      toPath: fixture.path("other.overall_export_metadata")
    )
    #expect(throws: Failure.self) { try ManagedExport(at: fixture.path) }
  }

  @Test("A link out of the folder is not followed.")
  func links() throws {
    let fixture = try ManagedFixture("small")
    let file = fixture.path(ManagedFixture.output)
    try FileManager.default.moveItem(atPath: file, toPath: fixture.folder.file("elsewhere"))
    try FileManager.default.createSymbolicLink(
      atPath: file,
      withDestinationPath: fixture.folder.file("elsewhere")
    )
    let failure = #expect(throws: Failure.self) { try ManagedExport(at: fixture.path) }
    #expect(failure?.cause == "it is a symbolic link that leads out of its folder")
  }
}
