import FirestoreModels
import RunSupport
import Schema
import Testing
import TypedDocuments

@testable import Files
@testable import FirestoreREST
@testable import Runs
@testable import Tables
@testable import Transfer

/// Rows with nothing in them, of which some take long.
private final class NumberedInput: DocumentInput {
  private let (count, bytes, work): (Int, Int, Int)
  private(set) var position = 0
  private var number = 0

  init(count: Int, bytes: Int, work: Int) { (self.count, self.bytes, self.work) = (count, bytes, work) }

  func next() throws(Failure) -> DocumentRow? {
    if number == count { return nil }
    number += 1
    position += bytes
    var sum = number
    for _ in 0..<work { sum = sum &* 31 &+ position }
    return DocumentRow(number: sum == 0 ? 0 : number)
  }

  func skip(through number: Int) throws(Failure) {}
  func rejected(_ reason: String) -> RejectedRow? { nil }
}

@Suite("Several files at a time")
struct SideBySideTests {
  @Test("Inputs take turns, whatever a batch takes.", arguments: 1...4)
  func turns(_ width: Int) async throws {
    let counts = [900, 0, 450, 201, 3, 600, 1]
    // A batch has 200 rows at most, and 64 KiB: of the sixth input 64 rows of 1 KiB.
    let inputs = counts.enumerated().map { index, count in
      NumberedInput(count: count, bytes: index == 5 ? 1024 : 10, work: index % 2 == 0 ? 2000 : 0)
    }
    var expected: [[Int]] = []
    var waiting = counts.indices[...]
    var turns: [(stage: Int, left: Int)] = []
    while true {
      while turns.count < width, let stage = waiting.popFirst() { turns.append((stage, counts[stage])) }
      if turns.isEmpty { break }
      var (stage, left) = turns.removeFirst()
      let full = stage == 5 ? 64 : 200
      expected.append([stage, min(left, full)])
      left -= full
      if left >= 0 { turns.append((stage, left)) }
    }
    let reading = SideBySide(width: width) { InputLane(inputs[$0], stage: $0, .stop) }
    var found: [[Int]] = []
    var numbers: [Int: Int] = [:]
    try await reading.forEachBatch(of: Array(counts.indices)) { batch, _ in
      found.append([batch.stage, batch.rows.count])
      for row in batch.rows {
        #expect(row.number == numbers[batch.stage, default: 0] + 1)
        numbers[batch.stage] = row.number
      }
      return true
    }
    #expect(found == expected)
    #expect(counts.indices.allSatisfy { numbers[$0, default: 0] == counts[$0] })
  }

  // MARK: Imports

  /// Files of several kinds, of some of which a batch is read only, and the documents in them.
  private static func write(to folder: ScratchFolder) throws -> (files: [String], names: Set<String>) {
    var (files, names): ([String], Set<String>) = ([], [])
    for (index, count) in [700, 20, 1300, 1, 450].enumerated() {
      let ids = (0..<count).map { "f\(index)d\($0)" }
      names.formUnion(ids.map { "c\(index)/\($0)" })
      let isTable = index % 2 == 1
      let lines = ids.map { id in
        isTable ? "\(id),7" : #"{"name":"c\#(index)/\#(id)","fields":{"n":{"integerValue":"7"}}}"#
      }
      let text = ((isTable ? ["__name__,n"] : []) + lines).joined(separator: "\n") + "\n"
      files.append(try folder.write(Array(text.utf8), to: "c\(index).\(isTable ? "csv" : "jsonl")"))
    }
    return (files, names)
  }

  private static var client: FirestoreClient {
    FirestoreClient.testing("http://127.0.0.1:9", database: DatabaseName(project: "p"))
  }

  /// An import of some files, with nothing to be asked of a service.
  private static func prepared(
    _ files: [String],
    in folder: String,
    parallel: Int
  ) throws -> (Import.Options, RunContext, ImportInputs) {
    var job = ImportJob(files: files)
    job.parallel = parallel
    let options = try job.options(.none, via: .local)
    let context = RunContext.silent(client, try RunDirectory(in: folder, command: "import"))
    let inputs = try ImportInputs(options, progress: context.progress)
    return (options, context, inputs)
  }

  private static func pass(
    over files: [String],
    at position: ImportPosition,
    in folder: String,
    parallel: Int
  ) throws -> ImportPass {
    let (options, context, inputs) = try prepared(files, in: folder, parallel: parallel)
    let warnings = ValidationReport(context.folder.file("warnings.csv"))
    return ImportPass(
      inputs,
      at: position,
      without: PlaceList(),
      warnings: warnings,
      skipping: SkippedFields(),
      options,
      in: context
    )
  }

  /// The documents that a pass passes on, and how many there were at each position.
  private static func documents(of pass: ImportPass) async throws -> ([String], [(Int, ImportPosition)]) {
    var names: [String] = []
    var positions: [(Int, ImportPosition)] = []
    try await pass.forEachBatch { documents, position in
      names += documents.map(\.path.string)
      positions.append((names.count, position))
    }
    return (names, positions)
  }

  @Test("From every position an import goes on with what it had not passed on, each document once.")
  func positions() async throws {
    let folder = try ScratchFolder()
    let (files, names) = try Self.write(to: folder)
    for parallel in 1...4 {
      let whole = try Self.pass(over: files, at: ImportPosition(), in: folder.path, parallel: parallel)
      let (all, positions) = try await Self.documents(of: whole)
      #expect(all.count == names.count && Set(all) == names)
      for (done, reached) in positions {
        var checkpoint = Checkpoint(at: reached.checkpoint)
        checkpoint = try Checkpoint(recordValue: checkpoint.recordValue)
        let position = try #require(try checkpoint.position(as: ImportPosition.self))
        let rest = try Self.pass(over: files, at: position, in: folder.path, parallel: parallel)
        let left = try await Self.documents(of: rest).0
        #expect(left.count == names.count - done, "\(parallel) at \(done)")
        #expect(Set(left) == names.subtracting(all.prefix(done)), "\(parallel) at \(done)")
      }
    }
  }

  @Test("From every position an import names the database of the first reference that it keeps.")
  func keptReferences() async throws {
    let folder = try ScratchFolder()
    let files = try [20, 900].enumerated().map { index, count in
      let lines = (0..<count).map { number in
        let name = "projects/source\(index)/databases/(default)/documents/c/x"
        let fields = number < 3 ? #""r":{"referenceValue":"\#(name)"}"# : ""
        return #"{"name":"c\#(index)/d\#(number)","fields":{\#(fields)}}"# + "\n"
      }
      return try folder.write(Array(lines.joined().utf8), to: "c\(index).jsonl")
    }
    let whole = try Self.pass(over: files, at: ImportPosition(), in: folder.path, parallel: 1)
    let positions = try await Self.documents(of: whole).1
    #expect(positions.count > 2)
    for (_, reached) in positions {
      let checkpoint = try Checkpoint(recordValue: Checkpoint(at: reached.checkpoint).recordValue)
      let position = try #require(try checkpoint.position(as: ImportPosition.self))
      let rest = try Self.pass(over: files, at: position, in: folder.path, parallel: 1)
      _ = try await Self.documents(of: rest)
      #expect(rest.references.keptUnplaced == 6)
      #expect(rest.references.elsewhere == DatabaseName(project: "source0"))
    }
  }

  // MARK: Managed exports

  /// An export of several files, with so many documents each.
  private static func export(_ counts: [Int], saying said: Int? = nil) throws -> ManagedFixture {
    let encoder = EntityEncoder(database: DatabaseName(project: "p"))
    let files = counts.indices.map { "output-\($0)" }
    let sum = counts.reduce(0, +)
    let fixture = try ManagedFixture(records: [], documents: said ?? sum, files: files)
    for (file, count) in counts.enumerated() {
      let records = try (0..<count).map { number in
        let path = DocumentPath(CollectionPath(nil, "c"), "f\(file)d\(number)")
        return try encoder.bytes(of: RawDocument(path: path, fields: ["n": .integer(7)]))
      }
      try ManagedFixture.write(records, to: fixture.path("all_namespaces/all_kinds/output-\(file)"))
    }
    return fixture
  }

  @Test("The files of a managed export are read beside each other, and their documents are counted together.")
  func managed() async throws {
    let counts = [500, 0, 3000, 1, 800]
    let whole = try Self.export(counts)
    let names = Set(counts.enumerated().flatMap { file, count in (0..<count).map { "c/f\(file)d\($0)" } })
    for parallel in [1, 3] {
      let (options, context, inputs) = try Self.prepared(
        [whole.path],
        in: whole.folder.path,
        parallel: parallel
      )
      #expect(inputs.indices.count == (parallel == 1 ? 1 : 5))
      _ = try await InputCheck(inputs: inputs, options: options, context: context).report()
      let pass = try Self.pass(
        over: [whole.path],
        at: ImportPosition(),
        in: whole.folder.path,
        parallel: parallel
      )
      let read = try await Self.documents(of: pass).0
      #expect(read.count == names.count && Set(read) == names)
    }
    let short = try Self.export(counts, saying: 5000)
    for parallel in [1, 3] {
      let (options, context, inputs) = try Self.prepared(
        [short.path],
        in: short.folder.path,
        parallel: parallel
      )
      let check = InputCheck(inputs: inputs, options: options, context: context)
      let failure = await #expect(throws: Failure.self) { _ = try await check.report() }
      #expect(failure?.path == short.path)
      #expect(failure?.cause == "there are 4301 documents in it, and 5000 were exported")
    }
  }

  @Test("What is wrong is said as when files are read one after the other.")
  func faults() async throws {
    let folder = try ScratchFolder()
    var files = try Self.write(to: folder).files
    // The second file has its error far behind that of the third.
    files[1] = try folder.write(
      Array(("__name__,n\n" + (0..<900).map { "x\($0),7\n" }.joined() + "y,7,8\n").utf8),
      to: "c1.csv"
    )
    files[2] = try folder.write(Array("{}\n".utf8), to: "c2.jsonl")
    var failures: [String] = []
    for parallel in [1, 4] {
      let (options, context, inputs) = try Self.prepared(files, in: folder.path, parallel: parallel)
      let check = InputCheck(inputs: inputs, options: options, context: context)
      let failure = await #expect(throws: Failure.self) { _ = try await check.report() }
      failures.append("\(failure?.path ?? "") \(failure?.cause ?? "")")
    }
    #expect(failures[0] == failures[1])
    // A document twice has the file of both.
    let twice = try folder.write(
      Array(#"{"name":"c4/f4d7","fields":{}}"#.utf8),
      to: "twice.jsonl"
    )
    _ = try Self.write(to: folder)
    files[4] = folder.file("c4.jsonl")
    let (options, context, inputs) = try Self.prepared(
      [twice, files[0], files[4]],
      in: folder.path,
      parallel: 4
    )
    let check = InputCheck(inputs: inputs, options: options, context: context)
    let failure = await #expect(throws: Failure.self) { _ = try await check.report() }
    #expect(failure?.cause == "line 8 has the same document as line 1 of \(twice)")
  }
}
