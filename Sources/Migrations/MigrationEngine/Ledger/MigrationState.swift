import Runs

/// What became of a migration in a database, by the entries of its ledger; pure.
package struct MigrationState: Sendable, Equatable {
  package enum Kind: String, Sendable, CaseIterable {
    case pending
    /// A run that has not ended applies it next.
    case planned
    /// It is being applied, or its run was killed.
    case running
    /// Its run stopped before it was done, and no other begins.
    case failed
    /// Its run stopped before it was done, and others may begin.
    case cleared
    case undone
    /// Some of what its run was to change had been changed by somebody else, and was left as it was.
    case conflicted = "in conflict"
    case applied
    /// It was applied, and planned afterwards: nothing was left to change.
    case verified
    /// A person says that it was done by hand.
    case byHand = "by hand"
  }

  package var kind: Kind
  /// The run that decides; nil for one that no run has touched.
  package var entry: LedgerEntry?
  /// What the run has of it.
  package var applied: LedgerEntry.Applied?
  /// The last run that wrote and is not undone, of one that is in force or undone; later ones found nothing to change.
  package var writer: LedgerEntry?
  /// The last run that wrote to its collections since it was verified, so that it counts as verified no more.
  package var rewriter: LedgerEntry?
  /// Both checksums, where its file is not the one that was applied.
  package var change: Change?

  package struct Change: Sendable, Equatable {
    package var applied: String
    package var present: String
  }

  /// Whether it need not be applied.
  package var isInForce: Bool { kind == .applied || kind == .verified || kind == .byHand }

  /// The kind in words, and whether some of it could not be taken back.
  package var words: String {
    leftToUndo > 0 ? "undone in part" : kind.rawValue
  }

  /// The documents of one that is undone that are not as before, because somebody has changed them since.
  package var leftToUndo: Int { kind == .undone ? entry?.leftToUndo ?? 0 : 0 }

  /// Whether something of it is in the database, as far as the ledger knows.
  var isStanding: Bool { isInForce || kind == .conflicted }

  /// - Parameters:
  ///   - id: The migration.
  ///   - checksum: That of its file as it is; nil for one that comes along.
  ///   - entries: The ledger, the latest last.
  package init(of id: String, _ checksum: String? = nil, in entries: [LedgerEntry]) {
    let own = entries.own(id).filter(\.hasTouched)
    let revoked = Self.revoked(of: own, in: entries)
    let standing = own.filter { $0.status != .undone && !revoked.contains(UTF8Key($0.run)) }
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

  /// When it was verified last; a later run that found nothing to change takes nothing away from that, whatever it left for a person.
  private static func verification(of id: String, in standing: [LedgerEntry]) -> Timestamp? {
    let changing = standing.lastIndex { $0.totals.written > 0 || ![.done, .incomplete].contains($0.status) }
    let last = changing ?? standing.startIndex
    return standing[last...].compactMap { $0.applied(id)?.verifiedAt }.last
  }

  /// The last run that is no migration, is not undone, and wrote to the collections of one after a moment.
  private static func rewriter(
    of id: String,
    since moment: Timestamp,
    in entries: [LedgerEntry]
  ) -> LedgerEntry? {
    entries.last { entry in
      guard entry.hasChanged, entry.status != .undone, let end = entry.changedAt else { return false }
      return moment < end && entry.rewrites.contains { $0.isIdentical(to: id) }
    }
  }

  /// The runs that say nothing any more: what they found was taken back by the undo of one before them.
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
  /// What it has of a migration.
  package func applied(_ id: String) -> Applied? { migrations.first { $0.id.isIdentical(to: id) } }

  /// Whether it says something of its migrations: it came to its end, and not because others had changed all that it was to
  /// change, or wrote before it stopped.
  fileprivate var hasTouched: Bool {
    switch status {
    case .done, .incomplete, .undone: totals.written > 0 || totals.conflicted == 0
    case .running: true
    case .failed, .interrupted, .cleared: hasChanged
    }
  }
}
