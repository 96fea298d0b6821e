struct RunsPrune: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "prune",
    abstract: "Remove the folders of old runs, which hold people's data.",
    discussion: """
      Removes the folders of runs that began before, unless they are at work. Runs that can still be undone or resumed go only where you say so, or with --yes; what the undo of an older run needs stays with it.

        gymmigrate runs prune --older-than 90d -n
        gymmigrate runs prune --older-than 90d
      """
  )

  @Option(help: "The age of a run since its beginning, such as 90d or 12h.", as: TypedValue.duration)
  var olderThan: Duration

  @Flag(name: [.customShort("n"), .long], help: "Show which would go; remove nothing.")
  var dryRun = false

  @Flag(name: .shortAndLong, help: "Do not ask; remove also those that can still be undone or resumed.")
  var yes = false

  @OptionGroup var folder: StateOptions
  @Flag(help: "Print JSON instead of lines.") var json = false

  func run() async throws {
    let history = folder.history
    let limit = Timestamp.now.seconds - Int64(olderThan.inSeconds)
    var pruning = Pruning(history.entries(), before: limit, in: folder.stateDir)
    pruning.removesUseful = try mayRemoveUseful(pruning)
    let removed = pruning.removed
    if !dryRun {
      try history.removeLeftovers()
      for entry in removed {
        try keepBill(of: entry.record)
        try history.remove(entry.record)
      }
    }
    if json {
      return try StandardOutput.writeObject {
        $0.member("removed", strings: removed.map(\.record.id))
        $0.member("useful", pruning.useful.count)
        $0.member("dryRun", dryRun)
      }
    }
    if !removed.isEmpty {
      for line in RunText.table(removed) { try StandardOutput.write("\(line)\n") }
    }
    Terminal.standardError.line(
      "\(dryRun ? "Would remove" : "Removed") \(NumberText.counted(removed.count, "run"))."
    )
  }

  /// Adds to the ledger of costs what only the folder of a killed run records.
  private func keepBill(of run: RunRecord) throws(Failure) {
    guard let cost = folder.history.unrecordedBill(of: run.id) else { return }
    let configuration = try ConfigurationResolver(ConfigurationChoice()).configuration()
    guard let record = configuration.costRecord(of: run, billed: cost) else { return }
    try CostLedger(in: folder.stateDir).complete(run, with: record)
  }

  /// Whether to remove also runs that can still be undone or resumed; asks a person.
  private func mayRemoveUseful(_ pruning: Pruning) throws -> Bool {
    if pruning.useful.isEmpty || yes { return true }
    let count = pruning.heldBack
    let what =
      count == 1
      ? "One run that is older can still be undone or resumed"
      : "\(count) runs that are older can still be undone or resumed, or are needed for that"
    if dryRun || json || !Guard.canAsk {
      Terminal.standardError.line("\(what), and would go only with --yes.")
      return false
    }
    return try Guard.answer("\(what). Remove these, too?")
  }
}

/// Determines which runs a pruning removes.
struct Pruning {
  /// Old runs that can be undone or resumed.
  let useful: [RunHistory.Entry]
  var removesUseful = false
  private let finished: [RunHistory.Entry]
  private let kept: [RunHistory.Entry]
  private let stateDir: String

  /// - Parameter limit: Runs that began before this time, in seconds since 1970, are old.
  init(_ entries: [RunHistory.Entry], before limit: Int64, in stateDir: String) {
    var (useful, finished, kept): ([RunHistory.Entry], [RunHistory.Entry], [RunHistory.Entry]) = ([], [], [])
    for entry in entries {
      if entry.isRunning || entry.record.startedAt.seconds >= limit {
        kept.append(entry)
      } else if entry.status == "sharded" || entry.isResumable || Self.canBeUndone(entry, in: stateDir) {
        useful.append(entry)
      } else {
        finished.append(entry)
      }
    }
    (self.useful, self.finished, self.kept, self.stateDir) = (useful, finished, kept, stateDir)
  }

  /// The runs to remove, the oldest first.
  var removed: [RunHistory.Entry] {
    let left = kept + (removesUseful ? [] : useful)
    let undoable = left.filter { Self.canBeUndone($0, in: stateDir) }.map(\.record)
    return ((removesUseful ? useful : []) + finished)
      .filter { entry in !undoable.contains { isNeeded(entry.record, toUndo: $0) } }
      .sorted { $0.record.startedAt < $1.record.startedAt }
  }

  /// The number of runs that are only removed together with those that can be undone or resumed: these, and the runs that undoing
  /// them requires.
  var heldBack: Int {
    var all = self
    all.removesUseful = true
    return all.removed.count - removed.count
  }

  /// Whether a run must be kept as long as an older one can be undone, because its journal distinguishes its own later writes
  /// from those of others.
  private func isNeeded(_ run: RunRecord, toUndo other: RunRecord) -> Bool {
    guard run.writes, other.startedAt <= run.startedAt else { return false }
    return UndoTarget.undone(by: run) != nil || shareDocuments(other, run)
  }

  private static func canBeUndone(_ entry: RunHistory.Entry, in stateDir: String) -> Bool {
    entry.record.writes && UndoTarget.undone(by: entry.record) == nil && !entry.isUndone
      && UndoTarget.hasWritten(entry.record, in: stateDir)
  }

  /// Whether two runs changed a document in common; true if that cannot be read.
  private func shareDocuments(_ first: RunRecord, _ second: RunRecord) -> Bool {
    do {
      var search = DuplicateSearch()
      for (number, record) in [first, second].enumerated() {
        for path in try UndoTarget.journals(of: record, in: stateDir) where FileCheck.exists(path) {
          var journal = try JournalReader(path)
          while let line = try journal.next() {
            if case .change(let change, _) = line {
              try search.add(change.path, at: DuplicateSearch.Place(file: number, line: 0))
            }
          }
        }
      }
      var isShared = false
      try search.forEachPair { earlier, later in isShared = isShared || earlier.file != later.file }
      return isShared
    } catch {
      return true
    }
  }
}
