import Files
import FirestoreModels
import Platform
import Tables

extension Bench {
  /// The documents of a managed export beside the same ones as JSON Lines, decoded one by one from files in memory.
  func managed(total: Int = 200_000) throws {
    let folder = "/dev/shm/measure-\(getpid())"
    let (lines, export) = ("\(folder)/documents.jsonl", "\(folder)/managed")
    defer { remove(folder) }
    guard mkdir(folder, 0o700) == 0 else { return }
    let documents = decoded()
    let writers: [any CollectionWriter] = [
      try JSONLinesWriter(lines), try ManagedWriter(export, of: DatabaseName(project: "bench-project")),
    ]
    for writer in writers {
      for _ in 0..<(total / documents.count) { try writer.append(contentsOf: documents) }
      try writer.finish()
    }
    let count = total / documents.count * documents.count
    let times = Rounds(
      [
        .init("JSON Lines") { expectCount(count) { try readLines(lines) } },
        .init("a managed export") { expectCount(count) { try readExport(export) } },
      ],
      count: 3
    )
    let rate = text(Double(count) / times.median(1), 0)
    let (passed, processor) = (text(times.passedRatio(1, to: 0)), text(times.ratio(1, to: 0)))
    print("managed: \(rate) documents/s of CPU, \(passed) x the time of JSON Lines, \(processor) x its CPU")
  }
}

private func expectCount(_ count: Int, _ read: () throws -> Int) {
  do {
    let found = try read()
    precondition(found == count)
  } catch {
    fatalError("\(error)")
  }
}

private func readLines(_ path: String) throws -> Int {
  var reader = try JSONLinesReader(path)
  var count = 0
  while let line = try reader.next() {
    _ = try line.document.get()
    count += 1
  }
  return count
}

private func readExport(_ path: String) throws -> Int {
  guard let export = try ManagedExport(at: path) else { return 0 }
  let reader = ManagedReader(export)
  var count = 0
  while let (_, document) = try reader.next() {
    _ = try document.get()
    count += 1
  }
  return count
}

/// Removes the folder with all that is in it.
private func remove(_ folder: String) {
  let below = ["managed/all_namespaces/all_kinds", "managed/all_namespaces", "managed", ""]
  for path in below.map({ "\(folder)/\($0)" }) {
    for name in FilePaths.names(in: path) { unlink("\(path)/\(name)") }
    rmdir(path)
  }
}
