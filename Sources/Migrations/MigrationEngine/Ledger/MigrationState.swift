import Runs

/// The state of a migration in a database, according to its ledger; does no I/O.
package struct MigrationState: Sendable, Equatable {
  package enum Kind: String, Sendable, CaseIterable {
    case pending
    /// A run that has not ended will apply it next.
    case planned
    /// It is being applied, or its run was killed.
    case running
    /// Its run stopped early, and no other run may begin.
    case failed
    /// Its run stopped early, and others may begin.
    case cleared
    case undone
    /// Some documents that its run was to change had been changed by somebody else, and were left alone.
    case conflicted = "in conflict"
    case applied
    /// It was applied, and a later plan found nothing left to change.
    case verified
    /// A person declared that it was applied by hand.
    case byHand = "by hand"
  }

  package var kind: Kind
  /// The run that determines the state; nil if no run has touched the migration.
  package var entry: LedgerEntry?
  /// What the run's entry records about the migration.
  package var applied: LedgerEntry.Applied?
  /// If it is in force or undone, the last run that wrote and is not undone; later ones found nothing to change.
  package var writer: LedgerEntry?
  /// The last run that wrote to its collections after it was verified, so that it no longer counts as verified.
  package var rewriter: LedgerEntry?
  /// Both checksums, if its file differs from the one that was applied.
  package var change: Change?

  package struct Change: Sendable, Equatable {
    package var applied: String
    package var present: String
  }

  /// Whether it need not be applied.
  package var isInForce: Bool { kind == .applied || kind == .verified || kind == .byHand }

  /// The kind in words, and whether the undo was only partial.
  package var words: String {
    leftToUndo > 0 ? "undone in part" : kind.rawValue
  }

  /// If it is undone, the number of documents that could not be restored because somebody has changed them since.
  package var leftToUndo: Int { kind == .undone ? entry?.leftToUndo ?? 0 : 0 }

  /// Whether any of its work is in the database, as far as the ledger knows.
  var isStanding: Bool { isInForce || kind == .conflicted }

  /// - Parameters:
  ///   - id: The migration.
  ///   - checksum: The checksum of its present file; nil for a built-in migration.
  ///   - entries: The ledger, the latest entry last.
  package init(of id: String, _ checksum: String? = nil, in entries: [LedgerEntry]) {
    let own = entries.own(id).filter(\.hasTouched)
    let revoked = Self.revoked(of: own, in: entries)
    // Once something was taken back, what earlier runs found or a person knew is true no more.
    let reopened = own.lastIndex { $0.status == .undone && $0.hasWritten }
    let standing = own[(reopened.map { $0 + 1 } ?? 0)...].filter {
      $0.status != .undone && !revoked.contains(UTF8Key($0.run))
    }
    entry =
      standing.last
      ?? own.last { $0.status == .undone && $0.leftToUndo > 0 }
      ?? own.last { $0.status == .undone && $0.totals.written > 0 } ?? own.last { $0.status == .undone }
    applied = entry?.applied(id)
    applied?.verifiedAt = Self.verification(of: id, in: standing)
    rewriter = applied?.verifiedAt.flatMap { Self.rewriter(of: id, since: $0, in: entries) }
    if rewriter != nil { applied?.verifiedAt = nil }
    let isNext = entries.contains { $0.blocks && $0.planned.contains { $0.isIdentical(to: id) } }
    switch entry?.status {
    case .done?, .incomplete?:
      let isLeft = entry?.totals.conflicted ?? 0 > 0
      kind =
        entry?.isByHand ?? false
        ? .byHand : applied?.verifiedAt != nil ? .verified : isLeft ? .conflicted : .applied
    case .running?: kind = .running
    case .failed?, .interrupted?: kind = .failed
    case .cleared?: kind = isNext ? .planned : .cleared
    case .undone?: kind = isNext ? .planned : .undone
    case nil: kind = isNext ? .planned : .pending
    }
    if isStanding || kind == .undone {
      writer = own.last { $0.status != .undone && $0.totals.written > 0 }
    }
    if kind != .undone, let checksum, let known = applied?.standing, !known.isIdentical(to: checksum) {
      change = Change(applied: known, present: checksum)
    }
  }

  /// When it was last verified; later runs that found nothing to change do not invalidate that, whatever they left for review.
  private static func verification(of id: String, in standing: [LedgerEntry]) -> Timestamp? {
    let changing = standing.lastIndex { $0.totals.written > 0 || ![.done, .incomplete].contains($0.status) }
    let last = changing ?? standing.startIndex
    return standing[last...].compactMap { $0.applied(id)?.verifiedAt }.last
  }

  /// Returns the last run that is not one of the migration's, was not undone, or only in part, and wrote to its
  /// collections after a point in time.
  ///
  /// The undo of a run that began after that time only brings back what was there. A run that is divided among tasks records
  /// the collections when it finishes; until then, it may have written to any.
  private static func rewriter(
    of id: String,
    since moment: Timestamp,
    in entries: [LedgerEntry]
  ) -> LedgerEntry? {
    entries.last { entry in
      guard entry.hasChanged, entry.isStanding, entry.mayHaveEnded(after: moment) else { return false }
      let undone = entry.undoes.flatMap { run in entries.first { $0.run.isIdentical(to: run) } }
      if let began = undone?.startedAt, moment < began { return false }
      return entry.isUnfinishedLoad || entry.rewrites.contains { $0.isIdentical(to: id) }
    }
  }

  /// Returns the runs that no longer count, because the undo of an earlier run reverted what they found.
  private static func revoked(of own: [LedgerEntry], in entries: [LedgerEntry]) -> Set<UTF8Key> {
    func place(_ run: String) -> Int? { entries.firstIndex { $0.run.isIdentical(to: run) } }
    var revoked: Set<UTF8Key> = []
    for undone in own where undone.status == .undone {
      guard let begun = place(undone.run), let by = undone.undoneBy, let end = place(by), begun < end else {
        continue
      }
      revoked.formUnion(entries[begun..<end].map { UTF8Key($0.run) })
    }
    return revoked
  }

  package init(of migration: FolderMigration, in entries: [LedgerEntry]) {
    self.init(of: migration.id, migration.checksum, in: entries)
  }
}

extension LedgerEntry {
  /// Returns what the entry records about a migration.
  package func applied(_ id: String) -> Applied? { migrations.first { $0.id.isIdentical(to: id) } }

  /// Whether it is an import or a copy that was divided among tasks and has not recorded where they wrote.
  fileprivate var isUnfinishedLoad: Bool {
    shards != nil && migrations.isEmpty && status != .done && status != .incomplete
  }

  /// Whether the run says something about its migrations: it finished, unless all its changes conflicted, or it wrote before it
  /// stopped.
  fileprivate var hasTouched: Bool {
    switch status {
    case .done, .incomplete, .undone: totals.written > 0 || totals.conflicted == 0
    case .running: true
    case .failed, .interrupted, .cleared: hasChanged
    }
  }
}
