package import Configuration

/// What keeps migrations from an environment until another has them; pure.
package struct PromotionGate: Sendable {
  /// What is missing in the other environment.
  package enum Gap: Sendable, Equatable {
    /// It is not in force there.
    case notApplied(MigrationState.Kind)
    /// It was applied there from another file.
    case changed
    case notVerified
  }

  private let promotion: Promotion
  /// The ledger of the other environment, the latest run last.
  private let entries: [LedgerEntry]

  package init(_ promotion: Promotion, _ entries: [LedgerEntry]) {
    self.promotion = promotion
    self.entries = entries
  }

  /// What keeps a migration; nil for nothing, as where it is not for the other environment.
  package func gap(of migration: FolderMigration) -> Gap? {
    guard migration.isFor(promotion.after) else { return nil }
    let state = MigrationState(of: migration, in: entries)
    if !state.isInForce { return .notApplied(state.kind) }
    if state.change != nil { return .changed }
    return promotion.mustBeVerified && state.applied?.verifiedAt == nil ? .notVerified : nil
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
    switch gap {
    case .notApplied(let kind): "is \(kind.rawValue) in \(promotion.after)"
    case .changed: "was applied in \(promotion.after) from another file"
    case .notVerified: "is not verified in \(promotion.after)"
    }
  }

  private func commands(_ gaps: [(migration: FolderMigration, gap: Gap)]) -> [String] {
    let place = "-e \(promotion.after)"
    let unverified = gaps.filter { $0.gap == .notVerified }.map(\.migration.name)
    var commands: [String] = []
    if gaps.contains(where: { $0.gap == .changed }) {
      commands.append("gymmigrate migrate up --accept-changed \(place)")
    }
    let unapplied = gaps.last { if case .notApplied = $0.gap { true } else { false } }
    if let unapplied { commands.append("gymmigrate migrate up --to \(unapplied.migration.name) \(place)") }
    if !unverified.isEmpty {
      commands.append("gymmigrate migrate verify \(unverified.joined(separator: " ")) --record \(place)")
    }
    return commands
  }
}
