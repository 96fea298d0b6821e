import FirestoreModels
import Foundation
import Testing

@testable import Files
@testable import Transfer

@Suite struct OutputFileTests {
  private struct Interrupted: Error {}

  @Test func aFileAppearsWholeUnderItsName() async throws {
    let folder = try ScratchFolder()
    let path = folder.file("out.txt")
    let (seen, receipt) = try await withOutputFile(path, digest: true) { file in
      try file.write("abc")
      #expect(file.bytesAccepted == 3)
      return FileManager.default.fileExists(atPath: path)
    }
    #expect(!seen)
    #expect(folder.names == ["out.txt"])
    #expect(try contents(path) == Array("abc".utf8))
    // FIPS 180-2, appendix B.1.
    #expect(
      receipt
        == OutputFile.Receipt(
          path: path,
          bytes: 3,
          sha256: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        )
    )
  }

  @Test func anErrorLeavesWhatWasThere() async throws {
    let folder = try ScratchFolder()
    let path = try folder.write("old".utf8, to: "out.txt")
    await #expect(throws: Interrupted.self) {
      try await withOutputFile(path) { file in
        try file.write([UInt8](repeating: 7, count: 1 << 20))
        throw Interrupted()
      }
    }
    #expect(folder.names == ["out.txt"])
    #expect(try contents(path) == Array("old".utf8))
  }

  @Test func aCancelledTaskLeavesNothing() async throws {
    let folder = try ScratchFolder()
    let path = folder.file("out.txt")
    let task = Task {
      try await withOutputFile(path) { file in
        try file.write("half")
        while !Task.isCancelled { await Task.yield() }
      }
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(folder.names.isEmpty)
  }

  @Test func aKilledProcessLeavesNoFileUnderTheName() async throws {
    let folder = try ScratchFolder()
    let path = folder.file("out.csv")
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
      var file = try OutputFile(path)
      try file.write([UInt8](repeating: 7, count: 1 << 20))
      kill(getpid(), SIGKILL)
      _ = try file.finish()
    }
    #expect(!folder.names.contains("out.csv"))
    #expect(folder.names.allSatisfy { $0.hasPrefix(".") && $0.hasSuffix(".partial") })
  }

  @Test func aFullDiskIsToldWithItsPath() throws {
    var file = try OutputFile("/dev/full")
    try file.write("abc")
    do {
      _ = try file.finish()
      Issue.record("a full disk went unnoticed")
    } catch {
      #expect(error.kind == .cannotWrite)
      #expect(error.path == "/dev/full")
      #expect(error.cause.contains("No space left"))
    }
    // A large write is noticed at once.
    var large = try OutputFile("/dev/full")
    #expect(throws: Failure.self) { try large.write([UInt8](repeating: 0, count: 1 << 20)) }
  }

  @Test func devicesAreWrittenToAndStay() throws {
    var file = try OutputFile("/dev/null")
    try file.write("abc")
    #expect(try file.finish().bytes == 3)
    var status = stat()
    #expect(stat("/dev/null", &status) == 0)
    #expect(status.st_mode & S_IFMT == S_IFCHR)
  }

  @Test func whatCannotBeWrittenIsToldBeforehandAndNothingIsMade() throws {
    let folder = try ScratchFolder()
    let file = try folder.write("x".utf8, to: "file")
    for path in [folder.path, "\(file)/out.csv", folder.file("missing/out.csv"), "", folder.file("new/")] {
      let failure = #expect(throws: Failure.self) { try OutputFile.checkWritable(path) }
      #expect(failure?.kind == .cannotWrite, "\(path)")
      #expect(throws: Failure.self) {
        let output = try OutputFile(path)
        _ = try output.finish()
      }
    }
    #expect(throws: Failure.self) { try ExportOutput.checkFolder(file) }
    #expect(throws: Failure.self) { try ExportOutput.checkFolder(folder.file("missing/folder")) }
    try OutputFile.checkWritable(folder.file("out.csv"))
    try OutputFile.checkWritable("-")
    try ExportOutput.checkFolder(folder.file("new/"))
    #expect(folder.names == ["file"])
  }

  @Test func linksAndPermissionsStay() throws {
    let folder = try ScratchFolder()
    let target = try folder.write("old".utf8, to: "target")
    chmod(target, 0o600)
    symlink("target", folder.file("link"))
    var file = try OutputFile(folder.file("link"))
    try file.write("new")
    _ = try file.finish()
    #expect(try contents(target) == Array("new".utf8))
    var status = stat()
    #expect(lstat(folder.file("link"), &status) == 0 && status.st_mode & S_IFMT == S_IFLNK)
    #expect(stat(target, &status) == 0 && status.st_mode & 0o777 == 0o600)
  }

  @Test func gzipIsReadByPython() throws {
    guard Judge.hasPython else { return }
    let folder = try ScratchFolder()
    var file = try OutputFile(folder.file("out.gz"), digest: true)
    let text = String(repeating: "línea\n", count: 50_000)
    try file.write(text)
    #expect(file.bytesAccepted == text.utf8.count)
    let receipt = try file.finish()
    let judged = try Judge.run([
      "-c",
      "import gzip,hashlib,sys; b=open(sys.argv[1],'rb').read(); t=gzip.decompress(b);"
        + "print(len(b), hashlib.sha256(b).hexdigest(), t == 'línea\\n'.encode()*50000)",
      folder.file("out.gz"),
    ])
    #expect(String(decoding: judged, as: UTF8.self) == "\(receipt.bytes) \(receipt.sha256 ?? "") True\n")
  }
}

/// Writes a file in a scope: completes it when `body` returns, deletes it if `body` throws or is cancelled.
private func withOutputFile<Result>(
  _ path: String,
  gzip: Bool? = nil,
  digest: Bool = false,
  isolation: isolated (any Actor)? = #isolation,
  _ body: (inout OutputFile) async throws -> Result
) async throws -> (result: Result, receipt: OutputFile.Receipt) {
  var file = try OutputFile(path, gzip: gzip, digest: digest)
  let result = try await body(&file)
  try Task.checkCancellation()
  return (result, try file.finish())
}
