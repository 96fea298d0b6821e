extension RunRecord {
  /// Whether the run only showed what it would do.
  fileprivate var isDryRun: Bool {
    guard !writes, let kind = job?.kind else { return false }
    return Invocation.current.jobs.contains { $0.kind.isIdentical(to: kind) && !$0.onlyReads }
  }
}

enum RunText {
  /// A table with a heading: ID, environment, status, what a run wrote and left, and the command.
  static func table(_ entries: [RunHistory.Entry]) -> [TerminalText] {
    let rows = entries.map { entry in
      let counts = entry.ending.map { SummaryText.counts($0.totals) } ?? ""
      let record = entry.record
      let what = record.command + input(of: record) + (record.isDryRun ? " (dry run)" : "")
      return [record.id, record.environment, entry.status, counts, what]
    }
    return TerminalText.aligned([["run", "environment", "status", "documents", "command"]] + rows)
  }

  /// What a run read besides its environment: another environment, or the first of its files.
  private static func input(of record: RunRecord) -> String {
    let source = record.source.map(\.environment)
      .flatMap { $0.isIdentical(to: record.environment) ? nil : ", from \($0)" }
    // What the command already names, a migration by file or by name, is not repeated.
    let named = Set(record.command.split(separator: " ").map { UTF8Key(String($0)) })
    let paths = record.inputs.map(\.path).filter { path in
      let name = FilePaths.name(of: path)
      return ![path, name, FileName(name).stem].contains { named.contains(UTF8Key($0)) }
    }
    guard let path = paths.first else { return source ?? "" }
    let more = paths.count > 1 ? " and \(paths.count - 1) more" : ""
    let name = FilePaths.name(of: path)
    return "\(source ?? ""), \(name.isEmpty ? path : name)\(more)"
  }

  /// The warning about a journal with a truncated line.
  static func torn(_ line: Int, _ path: String) -> String {
    "\(path): line \(line) was cut off, as by a full disk, and is stepped over. What became of its document is looked up."
  }

  /// All details of a run.
  static func lines(_ entry: RunHistory.Entry, history: RunHistory, stateDir: String) -> [TerminalText] {
    let record = entry.record
    var lines: [TerminalText] = [
      "run          \(record.id)",
      "command      \(CommandLineText.quoted(["gymmigrate"] + record.arguments))",
      "in           \(record.workingDirectory)",
      "environment  \(record.environment) (\(record.database) at \(record.endpoint))",
      "started      \(record.startedAt)",
      "version      \(record.version)",
      "status       \(entry.status)\(entry.ending.map { ", exit code \($0.exitCode)" } ?? "")",
    ]
    if let ending = entry.ending {
      for collection in ending.collections {
        lines.append("  \(collection.name): \(SummaryText.counts(collection.counts))")
      }
      if let error = ending.error { lines.append("error        \(error)") }
    }
    for file in history.files(of: record.id) {
      lines.append("file         \(history.file(file, of: record.id))")
    }
    if entry.isResumable, history.isOwn(record) {
      let command = entry.ending?.resumeCommand ?? record.commandLine("runs", "resume", in: stateDir)
      lines.append("resume       \(command)")
    }
    return lines
  }

  /// The members of a run as JSON.
  static func members(of entry: RunHistory.Entry, history: RunHistory, to json: inout JSONWriter) {
    let record = entry.record
    json.member("runId", record.id)
    json.member("command", record.command)
    json.member("arguments", strings: record.arguments)
    json.member("environment", record.environment)
    json.member("database", record.database.description)
    json.member("endpoint", record.endpoint)
    json.member("startedAt", record.startedAt.description)
    json.member("status", entry.status)
    json.member("canGoOn", entry.isResumable && history.isOwn(record))
    guard let ending = entry.ending else { return }
    json.member("exitCode", ending.exitCode)
    json.member("totals", ending.totals)
    json.member("error", ending.error)
  }
}
