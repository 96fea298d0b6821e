package import Configuration

/// Keeps migrations from an environment until another environment has them; does no I/O.
package struct PromotionGate: Sendable {
  /// What is missing in the other environment.
  package enum Gap: Sendable, Equatable {
    /// It is not in force there.
    case notApplied(MigrationState.Kind)
    /// It was applied there from a different file.
    case changed
    case notVerified
    /// It was verified there, and a run that may have written to its collections since has not finished.
    case unfinished(run: String)
    /// No recent rehearsal of its present file is recorded.
    case notRehearsed
  }

  private let promotion: Promotion
  /// The names of the database of the other environment; nil for none.
  private let after: DatabaseNames?
  /// The ledger of the other environment, the latest run last.
  private let entries: [LedgerEntry]
  /// The ledgers that may contain rehearsals: those of the other environment and of the guarded one.
  private let rehearsals: [LedgerEntry]
  private let now: Timestamp
  /// The option that confirms a write to the required environment, or to the guarded one if none is required; empty for none.
  private let confirmation: String
  /// The options that a rehearsal on a copy of the environment needs besides its name; empty for none.
  private let masking: String

  /// - Parameters:
  ///   - after: The names of the database of the other environment, if it has several.
  ///   - own: The ledger of the guarded environment.
  ///   - now: The time from which the age of rehearsals is measured.
  ///   - confirmation: The options that commands need to write to the required environment.
  ///   - isMasked: Whether the environment may only be copied with masking.
  package init(
    _ promotion: Promotion,
    _ entries: [LedgerEntry],
    after: DatabaseNames? = nil,
    own: [LedgerEntry] = [],
    now: Timestamp,
    confirmation: String = "",
    isMasked: Bool = false
  ) {
    self.after = after ?? promotion.after.map { DatabaseNames($0) }
    masking = isMasked ? "--mask --mask-key-file KEY" : ""
    (self.promotion, self.entries, self.confirmation) = (promotion, entries, confirmation)
    (rehearsals, self.now) = (entries + own, now)
  }

  /// Returns what blocks a migration; nil for nothing, for example if it does not apply to the other environment.
  package func gap(of migration: FolderMigration) -> Gap? {
    formerGap(of: migration) ?? (isRehearsed(migration) ? nil : .notRehearsed)
  }

  private func formerGap(of migration: FolderMigration) -> Gap? {
    guard let after, migration.isFor(after) else { return nil }
    let state = MigrationState(of: migration, in: entries)
    if !state.isInForce { return .notApplied(state.kind) }
    if state.change != nil { return .changed }
    guard promotion.mustBeVerified, state.applied?.verifiedAt == nil else { return nil }
    if let run = state.rewriter, run.status == .running { return .unfinished(run: run.run) }
    return .notVerified
  }

  /// Whether it needs no rehearsal, or had a recent one of its present file.
  private func isRehearsed(_ migration: FolderMigration) -> Bool {
    guard let age = promotion.rehearsed else { return true }
    let oldest = Double(now.seconds) - age.inSeconds
    return rehearsals.contains { entry in
      guard let moment = entry.changedAt, Double(moment.seconds) >= oldest else { return false }
      return entry.rehearsed.contains(LedgerEntry.Applied(id: migration.id, checksum: migration.checksum))
    }
  }

  /// Refuses migrations that the other environment does not have.
  ///
  /// - Throws: `.notPermitted` with the commands that are missing.
  package func assertOpen(for migrations: [FolderMigration]) throws(Failure) {
    let gaps = migrations.compactMap { migration in gap(of: migration).map { (migration, $0) } }
    if gaps.isEmpty { return }
    throw Failure(
      .notPermitted,
      "apply in",
      path: promotion.environment,
      cause: gaps.map { "\($0.name) \(words($1))" }.joined(separator: ", "),
      remedy:
        "First: \(commands(gaps).map { "'\($0)'" }.joined(separator: ", then ")). Or give --override with the reason, which the ledger keeps."
    )
  }

  private func words(_ gap: Gap) -> String {
    let after = promotion.after ?? promotion.environment
    return switch gap {
    case .notApplied(let kind): "is \(kind.rawValue) in \(after)"
    case .changed: "was applied in \(after) from another file"
    case .notVerified: "is not verified in \(after)"
    case .unfinished(let run): "is not verified in \(after) while run \(run) is unfinished"
    case .notRehearsed: "was not rehearsed in the last \(promotion.rehearsed?.typedText ?? "")"
    }
  }

  private func commands(_ gaps: [(migration: FolderMigration, gap: Gap)]) -> [String] {
    let place = ["-e \(promotion.after ?? promotion.environment)", confirmation].filter { !$0.isEmpty }
      .joined(separator: " ")
    let unverified = gaps.filter { $0.gap == .notVerified }.map(\.migration.name)
    var commands: [String] = []
    if gaps.contains(where: { $0.gap == .changed }) {
      commands.append("gymmigrate migrate up --accept-changed \(place)")
    }
    let unapplied = gaps.last { if case .notApplied = $0.gap { true } else { false } }
    if let unapplied { commands.append("gymmigrate migrate up --to \(unapplied.migration.name) \(place)") }
    if gaps.contains(where: { if case .unfinished = $0.gap { true } else { false } }) {
      commands.append("gymmigrate migrate status -e \(promotion.after ?? promotion.environment)")
    }
    if !unverified.isEmpty {
      commands.append("gymmigrate migrate verify \(unverified.joined(separator: " ")) --record \(place)")
    }
    let unrehearsed = gaps.filter { $0.gap == .notRehearsed }.map(\.migration.name)
    if !unrehearsed.isEmpty {
      // Never recorded in the database that is copied.
      let from = promotion.after == nil ? "ANOTHER" : promotion.environment
      let masking = promotion.after == nil ? "" : masking
      let words = ["--from \(from)", masking, "--record", place].filter { !$0.isEmpty }
      commands.append(
        "gymmigrate migrate test \(unrehearsed.joined(separator: " ")) \(words.joined(separator: " "))"
      )
    }
    return commands
  }
}
