package import Configuration
package import Files
package import MigrationEngine
import Platform
import Storage
package import Tables
package import Transfer

/// Checks the results of all tasks of a sharded run, and combines them.
///
/// It can be repeated, because it always writes the same.
package struct ShardFinish: Sendable {
  private let plan: ShardPlan
  private let folder: ShardFolder
  /// A folder for temporary files.
  private let scratch: String

  package init(_ plan: ShardPlan, in folder: ShardFolder, scratch: String) {
    self.plan = plan
    self.folder = folder
    self.scratch = scratch
  }

  // MARK: Checks

  /// Returns the results of all ranges, in order.
  ///
  /// - Throws: `.tryLater` naming the tasks that are not done.
  package func results() async throws(Failure) -> [ShardResult] {
    let state = try await ShardState(of: plan, in: folder)
    if !state.open.isEmpty { throw refusal(state.open) }
    var results: [ShardResult] = []
    for range in plan.ranges {
      guard let result = try await folder.result(of: range.number, in: plan) else {
        throw Failure(.tryLater, "finish", path: plan.run, cause: "range \(range.number) is not done")
      }
      results.append(result)
    }
    return results
  }

  private func refusal(_ open: [ShardState.Task]) -> Failure {
    func numbers(_ status: ShardState.Task.Status) -> String? {
      let tasks = open.filter { $0.status == status }
      if tasks.isEmpty { return nil }
      let shown = tasks.prefix(20).map { task in
        "\(task.number)\(task.error.map { status == .failed ? " (exit code \($0.exitCode): \($0.message))" : "" } ?? "")"
      }
      let more = tasks.count > 20 ? " and \(tasks.count - 20) more" : ""
      return "\(status.rawValue): \(shown.joined(separator: ", "))\(more)"
    }
    let list = [numbers(.failed), numbers(.working), numbers(.missing)].compactMap { $0 }.joined(
      separator: "; "
    )
    return Failure(
      .tryLater,
      "finish",
      path: plan.run,
      cause: "\(open.count) of \(plan.tasks) tasks are not done (\(list))",
      remedy:
        "Start those tasks again: 'gymmigrate shard work \(folder.store) --task N --tasks \(plan.tasks)'."
    )
  }

  /// Checks that the parts match the results.
  ///
  /// A part that still has the recorded version has not been written since, and is not read again.
  ///
  /// - Returns: The results, in which parts that an earlier `finish` replaced are marked.
  /// - Throws: `.inputMalformed`, `.inputMissing` naming the first part that does not match.
  package func checkParts(_ results: [ShardResult]) async throws(Failure) -> [ShardResult] {
    guard plan.partExtension != nil else { return results }
    var found: [UTF8Key: ObjectInfo] = [:]
    for info in try await folder.store.list("parts/") { found[UTF8Key(info.name)] = info }
    var results = results
    for index in results.indices {
      let result = results[index]
      guard let part = result.part else { continue }
      let path = "\(folder.store)/\(part.file)"
      guard let info = found[UTF8Key(part.file)] else {
        throw Failure(
          .inputMissing,
          "check",
          path: path,
          cause: "it is gone",
          remedy: Self.remedy(result, plan)
        )
      }
      if let version = part.version, info.version.text.isIdentical(to: version), info.bytes == part.bytes {
        continue
      }
      let copy = "\(scratch)/check"
      defer { unlink(copy) }
      _ = try await folder.store.download(part.file, version: info.version, to: copy)
      let content = ShardResult.Part.Content(
        bytes: info.bytes,
        sha256: try SHA256Digest.hexadecimal(ofFileAt: copy, decompresses: false)
      )
      if content == ShardResult.Part.Content(bytes: part.bytes, sha256: part.sha256) { continue }
      if let pending = part.pending, content == pending {
        results[index].part = part.replaced(by: pending, version: info.version.text)
        continue
      }
      throw Failure(
        .inputMalformed,
        "check",
        path: path,
        cause: "it is not what its task wrote",
        remedy: Self.remedy(result, plan)
      )
    }
    return results
  }

  /// Gives CSV parts the columns of the complete table, and the first one the header, so that the concatenated parts are that
  /// table.
  ///
  /// - Returns: The results with the new parts.
  /// - Throws: ``Failure``; it can then be repeated.
  package func completeTable(
    _ results: [ShardResult],
    _ empty: CSVParts
  ) async throws(Failure) -> [ShardResult] {
    var table = empty
    for result in results { try table.add(result.part?.columns ?? []) }
    var results = results
    for index in results.indices {
      guard var part = results[index].part, let columns = part.columns, !part.isComplete,
        table.needsRewriting(columns, isFirst: index == 0)
      else { continue }
      let (raw, new) = ("\(scratch)/raw", "\(scratch)/new")
      defer {
        unlink(raw)
        unlink(new)
      }
      guard let info = try await folder.store.download(part.file, version: nil, to: raw) else {
        throw Failure(.inputMissing, "read", path: "\(folder.store)/\(part.file)", cause: "it is gone")
      }
      var file = try OutputFile(new, gzip: false, digest: true)
      try table.rewrite(raw, columns: columns, isFirst: index == 0, to: &file)
      let receipt = try file.finish()
      let content = ShardResult.Part.Content(bytes: receipt.bytes, sha256: receipt.sha256 ?? "")
      part.pending = content
      results[index].part = part
      try await folder.replace(results[index])
      guard
        case .written(let written) = try await folder.store.upload(
          new,
          to: part.file,
          if: .version(info.version)
        )
      else {
        throw Failure(
          .tryLater,
          "complete",
          path: "\(folder.store)/\(part.file)",
          cause: "another process replaced it meanwhile",
          remedy: "Finish once more."
        )
      }
      results[index].part = part.replaced(by: content, version: written.version.text, columns: table.columns)
      try await folder.replace(results[index])
    }
    return results
  }

  private static func remedy(_ result: ShardResult, _ plan: ShardPlan) -> String {
    "Remove ranges/\(ShardFolder.digits(result.range)).json and start task \(plan.task(of: result.range)) again."
  }

  // MARK: The entire run

  /// Returns the summary of the entire run.
  ///
  /// - Throws: `.internal` if the counts of a run that writes do not balance.
  package func summary(
    _ results: [ShardResult],
    environment: DatabaseEnvironment
  ) throws(Failure) -> RunSummary {
    var summary = RunSummary(
      command: plan.name,
      runID: plan.run,
      environment: environment,
      startedAt: plan.createdAt
    )
    summary.readTime = plan.readTime
    var order: [String] = []
    var counts: [UTF8Key: DocumentCounts] = [:]
    for result in results {
      for collection in result.collections {
        let key = UTF8Key(collection.name)
        if counts[key] == nil { order.append(collection.name) }
        counts[key] = (counts[key] ?? DocumentCounts()) + collection.counts
      }
      summary.traffic.requests = summary.traffic.requests.addingClamped(result.traffic.requests)
      summary.traffic.retries = summary.traffic.retries.addingClamped(result.traffic.retries)
      summary.traffic.bytesIn = summary.traffic.bytesIn.addingClamped(result.traffic.bytesIn)
      summary.traffic.bytesOut = summary.traffic.bytesOut.addingClamped(result.traffic.bytesOut)
      summary.durationSeconds += result.durationSeconds
    }
    summary.collections = order.map {
      RunSummary.Collection(name: $0, counts: counts[UTF8Key($0)] ?? DocumentCounts())
    }
    summary.billed = results.compactMap(\.billed).reduce(Cost(), +)
    summary.perhapsBilled = results.compactMap(\.perhapsBilled).reduce(Cost(), +)
    if plan.writes { try RunCounts(resuming: summary.collections).assertBalance() }
    if results.contains(where: { $0.status == .incomplete })
      || (plan.writes && summary.totals.leavesSomething)
    {
      summary.status = .incomplete
    } else if results.contains(where: { $0.status == .differences }) {
      summary.status = .differences
    }
    return summary
  }

  /// Returns the total cost of applying the plans of all ranges; nil for a command that does not plan.
  package func cost(_ results: [ShardResult]) -> Cost? {
    let costs = results.compactMap(\.cost)
    // A copy estimates its costs only as a whole.
    return costs.isEmpty || plan.source != nil ? nil : costs.reduce(Cost(), +)
  }

  /// Returns the totals of the plans of all ranges; nil for a command that does not plan.
  ///
  /// - Parameter collections: What all ranges read.
  package func totals(_ results: [ShardResult], of collections: [RunSummary.Collection]) -> PlanTotals? {
    if !results.contains(where: { $0.changes != nil }) { return nil }
    var (changes, documents) = (ChangeCounts(), [CollectionPath: Int]())
    for result in results {
      if let part = result.changes { changes.add(part) }
      for read in result.documents ?? [] {
        documents[read.collection] = (documents[read.collection] ?? 0).addingClamped(read.count)
      }
    }
    return PlanTotals(changes, documents, RunCounts(resuming: collections))
  }

  /// Returns the number of findings of each rule, for `check`; nil for other commands.
  package func findings(_ results: [ShardResult]) -> [String: Int]? {
    let findings = results.compactMap(\.findings)
    if findings.isEmpty { return nil }
    return findings.joined().reduce(into: [:]) { counts, finding in
      counts[finding.rule] = (counts[finding.rule] ?? 0).addingClamped(finding.count)
    }
  }

  /// What the tasks of a copy did with references, and what they read back.
  package struct Copied: Sendable {
    package var references: ReferenceRewriter.Counts
    /// Nil if the copy does not verify.
    package var readBack: ReadBack.Counts?

    package var sections: [any SummarySection] { [references] + (readBack.map { [$0] } ?? []) }
  }

  /// Returns the sums of what the ranges of a copy report.
  package func copied(_ results: [ShardResult]) -> Copied {
    let readBack = results.compactMap(\.readBack)
    return Copied(
      references: results.compactMap(\.references).reduce(ReferenceRewriter.Counts(), +),
      readBack: readBack.first.map { readBack.dropFirst().reduce($0, +) }
    )
  }

  /// Merges the lists of the ranges, in order, into lists of the entire run.
  ///
  /// - Parameter kept: The list that stays in the folder for temporary files, too; nil for none.
  /// - Returns: The names of the objects.
  package func mergeLists(
    _ results: [ShardResult],
    keeping kept: String? = nil
  ) async throws(Failure) -> [String] {
    var names: [String] = []
    for list in Set(results.flatMap(\.lists).map { UTF8Key($0) }).map(\.string).sorted() {
      let merged = "\(scratch)/\(list)"
      defer { if !(kept?.isIdentical(to: list) ?? false) { unlink(merged) } }
      var file = try OutputFile(merged, gzip: false)
      var isFirst = true
      for result in results where result.lists.contains(where: { $0.isIdentical(to: list) }) {
        let copy = "\(scratch)/list"
        defer { unlink(copy) }
        let name = ShardFolder.listName(list, of: result.range)
        guard try await folder.store.download(name, version: nil, to: copy) != nil else {
          throw Failure(.inputMissing, "read", path: "\(folder.store)/\(name)", cause: "it is gone")
        }
        // Tables have a header, which is the same in all of them.
        try Self.append(copy, to: &file, skippingHead: list.hasSuffix(".csv") && !isFirst)
        isFirst = false
      }
      _ = try file.finish()
      if list.isIdentical(to: "plan.jsonl") { try PlanEnd.append(to: merged) }
      let name = "runs/\(plan.run)/\(list)"
      _ = try await folder.store.upload(merged, to: name, if: .none)
      names.append(name)
    }
    return names
  }

  /// Appends a file, without its first record if `skippingHead`; a heading may contain line breaks in quotes.
  static func append(_ path: String, to file: inout OutputFile, skippingHead: Bool) throws(Failure) {
    var skips = skippingHead
    var isQuoted = false
    var part = try InputFile(path, decompresses: false)
    try part.forEachPiece { chunk throws(Failure) in
      var bytes = chunk[...]
      if skips {
        let end = bytes.firstIndex { byte in
          if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
          return byte == UInt8(ascii: "\n") && !isQuoted
        }
        guard let end else { return }
        bytes = bytes[(end + 1)...]
        skips = false
      }
      try file.write(UnsafeRawBufferPointer(rebasing: bytes))
    }
  }

  /// Writes `parts/manifest.json`, which makes the folder of the parts an export.
  package func writeManifest(
    _ results: [ShardResult],
    scope: Manifest.Scope?,
    writing: TableWriting,
    kind: FileName.Kind?
  ) async throws(Failure) {
    let files = results.compactMap { result -> Manifest.File? in
      guard let part = result.part, let read = plan.ranges[result.range].read else { return nil }
      return Manifest.File(
        file: FilePaths.name(of: part.file),
        collection: (plan.reads[read].kind ?? plan.reads[read].collection).string,
        documents: part.documents,
        bytes: part.bytes,
        sha256: part.sha256
      )
    }
    let manifest = Manifest(
      toolVersion: plan.toolVersion,
      environment: plan.target.environment,
      database: plan.target.database,
      server: plan.target.endpoint,
      readTime: plan.readTime,
      writing: writing,
      scope: scope,
      kind: kind,
      files: files
    )
    _ = try await folder.store.write(manifest.line, to: "parts/\(Manifest.fileName)", if: .none)
  }

  /// Writes the summary into the run folder of the entire run, and as `summary.json`.
  package func write(_ summary: RunSummary) async throws(Failure) {
    let json = summary.json + [UInt8(ascii: "\n")]
    _ = try await folder.store.write(json, to: "runs/\(plan.run)/summary.json", if: .none)
    _ = try await folder.store.write(json, to: "summary.json", if: .none)
  }
}

extension ShardResult.Part {
  /// Returns the part as replaced by `finish`.
  fileprivate func replaced(by content: Content, version: String, columns: [String]? = nil) -> Self {
    var part = self
    (part.bytes, part.sha256, part.version) = (content.bytes, content.sha256, version)
    (part.isComplete, part.pending) = (true, nil)
    part.columns = columns ?? part.columns
    return part
  }
}
