import GymMigrations
import GymModels
import GymReports
import MigrationEngine
import Schema
import Tables
import Transfer

/// The gym's options for an export: users as the app reads them, and a report before the tables.
struct GymExportOptions: ExportAdditions {
  @Flag(
    help:
      "Of users, write fullName, phone and isActive as the app reads them (unified, else iOS, else Android), and the era of each document; --where on these fields means what is written, and reads all users."
  )
  var asApp = false

  @Flag(
    help:
      "With --all to a workbook: put the sheet of 'gymmigrate report' before the tables, on this month unless other days are given."
  )
  var summary = false

  @Option(help: "With --summary: the first day, as 2026-01-05.", as: TypedValue.day)
  var summaryFrom: CalendarDay?

  @Option(help: "With --summary: the last day.", as: TypedValue.day)
  var summaryTo: CalendarDay?

  /// The names of the values in a record.
  private enum Key {
    static let asApp = "as-app"
    static let (summary, from, to) = ("summary", "summary-from", "summary-to")
  }

  var values: [String: String] {
    var values: [String: String] = [:]
    if asApp { values[Key.asApp] = "true" }
    if summary { values[Key.summary] = "true" }
    values[Key.from] = summaryFrom?.text
    values[Key.to] = summaryTo?.text
    return values
  }

  func validate() throws {
    if !summary {
      if summaryFrom != nil || summaryTo != nil {
        throw ValidationError("--summary-from and --summary-to go with --summary.")
      }
    } else if (summaryFrom == nil) != (summaryTo == nil) {
      throw ValidationError("Give both --summary-from and --summary-to, or neither for this month.")
    } else if let summaryFrom, let summaryTo, summaryTo < summaryFrom {
      throw ValidationError("--summary-to: \(summaryTo.text) is before --summary-from \(summaryFrom.text).")
    }
  }

  func validate(_ job: ExportJob) throws {
    if asApp { try validateAsApp(job) }
    guard summary else { return }
    if !job.isOneWorkbook {
      throw ValidationError("--summary is a sheet of one workbook: name a file that ends in .xlsx.")
    }
    if !job.all || job.isPart {
      throw ValidationError("--summary counts what is exported: it needs --all, whole.")
    }
  }

  private func validateAsApp(_ job: ExportJob) throws {
    if job.isDated || job.format == .managed {
      throw ValidationError("--as-app is not for backups: no --dated, and no --format managed.")
    }
    if !job.all, !job.collections.contains(GymCollection.users.id) {
      throw ValidationError("--as-app is about users: export users.")
    }
    for order in try job.orderBy.map({ try StructuredQuery.Order.list(parsing: $0) }) ?? [] {
      guard AppUser.isShown(order.field) else { continue }
      throw ValidationError("--order-by: the service cannot order by \(order.field) as the app reads it.")
    }
  }

  /// Returns what the values of a record add to an export.
  ///
  /// - Throws: `.usage` if the data are not the gym's.
  static func addition(to job: ExportJob, of schema: DatabaseSchema) throws(Failure) -> ExportAddition {
    let values = job.additions
    let asApp = values[Key.asApp] != nil
    if asApp { try schema.assertGym("--as-app") }
    let summary = values[Key.summary] == nil ? nil : try summary(of: job, schema)
    return { options in
      if let summary {
        arrange(&options.reads)
        options.summary = summary
      }
      guard asApp else { return }
      options.transform = AppUser.asRead
      options.filter = takeFilter(from: &options.reads)
      // The app's view of users is derived from other fields.
      for index in options.reads.indices { options.reads[index].mask = nil }
    }
  }

  /// Returns the report that precedes the tables.
  private static func summary(of job: ExportJob, _ schema: DatabaseSchema) throws(Failure) -> Export.Summary {
    try schema.assertGym("export --summary")
    let zone = try schema.zone()
    let today = zone.day(of: .now)
    var days = today.monthDays
    if let from = job.additions[Key.from].flatMap({ CalendarDay($0) }),
      let to = job.additions[Key.to].flatMap({ CalendarDay($0) })
    {
      days = from...max(from, to)
    }
    let words = ReportWords(job.headerLanguage == "en" ? .english : .spanish)
    let builder = Locked(ReportBuilder(days: days, asOf: today, in: zone))
    return (
      words.sheetName,
      { documents in builder.withLock { builder in for document in documents { builder.add(document) } } },
      { builder.withLock(\.report).sheet(words) }
    )
  }

  /// Moves check-ins before members, as ``ReportBuilder`` requires; the order is otherwise unchanged.
  private static func arrange(_ reads: inout [CollectionRead]) {
    func place(_ path: CollectionPath) -> Int? { reads.firstIndex { $0.collection == path } }
    if let members = place(GymCollection.members), let checkIns = place(GymCollection.checkIns),
      members < checkIns
    {
      reads.insert(reads.remove(at: checkIns), at: members)
    }
  }

  /// Removes the filter from the reads of users if it tests fields that the app does not read as stored.
  ///
  /// - Returns: The filter to apply to the exported documents instead.
  private static func takeFilter(from reads: inout [CollectionRead]) -> DocumentFilter? {
    guard let filter = reads.lazy.compactMap(\.filter).first,
      filter.fields.contains(where: AppUser.isShown)
    else { return nil }
    for index in reads.indices where reads[index].collection.id.isIdentical(to: GymCollection.users.id) {
      reads[index].filter = nil
    }
    return DocumentFilter(filter)
  }
}

/// The options of the gym's own migrations.
struct GymMigrationOptions: MigrationAdditions {
  @Flag(help: "users-unify: write the proposals for doubtful names unchanged.")
  var acceptProposals = false

  @Option(
    localFile: "users-unify: write the names of a corrected review.csv: its changed rows and those marked x."
  )
  var review: String?

  @Flag(help: "user-emails: delete orphaned entries.")
  var prune = false

  private enum Key {
    static let (accept, review, prune) = ("accept-proposals", "review", "prune")
  }

  var values: [String: String] {
    var values: [String: String] = [:]
    if acceptProposals { values[Key.accept] = "true" }
    values[Key.review] = review
    if prune { values[Key.prune] = "true" }
    return values
  }

  /// The migration to which each option applies.
  private static let owners = [
    (Key.accept, "users-unify"), (Key.review, "users-unify"), (Key.prune, "user-emails"),
  ]

  func validate(_ choice: MigrationChoice) throws {
    if choice.all { return }
    for (option, migration) in Self.owners where values[option] != nil {
      if choice.migrations.contains(where: { Self.mayMean($0, migration) }) { continue }
      throw ValidationError("--\(option) is for \(migration).")
    }
  }

  /// Whether a word may name a migration: in a folder, built-in migrations have names of their own.
  private static func mayMean(_ word: String, _ migration: String) -> Bool {
    if MigrationFile.isFile(word) { return false }
    return word.isIdentical(to: migration)
      || !MigrationCatalogue.known().contains { $0.id.isIdentical(to: word) }
  }

  static func files(_ values: [String: String]) -> [String] { values[Key.review].map { [$0] } ?? [] }

  /// Returns the settings in the values of a record.
  ///
  /// - Throws: As ``ReviewFile/read(_:)``.
  static func settings(_ values: [String: String]) throws(Failure) -> MigrationCatalogue.Settings {
    var settings = MigrationCatalogue.Settings(
      acceptProposals: values[Key.accept] != nil,
      prune: values[Key.prune] != nil
    )
    if let file = values[Key.review] { settings.review = try ReviewFile.read(file) }
    return settings
  }
}

/// The choice of the gym's configuration.
struct GymConfigurationOptions: ConfigurationAdditions {
  @Flag(help: "For the gym: its environments, and its schema.")
  var gym = false

  var isChosen: Bool { gym }
}
