import ArgumentParser
import FirestoreModels
import FirestoreREST
import GymReports
import Runs
import Schema
import Synchronization
import Tables
import Transfer

/// The report that an export puts before its tables.
struct SummaryOptions: ParsableArguments {
  @Flag(
    help:
      "With --all to a workbook: put the sheet of 'gymmigrate report' before the tables, on this month unless other days are given. Expenses are in it. English with --header english, else Spanish."
  )
  var summary = false

  @Option(
    help: ArgumentHelp("With --summary: the first day, as 2026-01-05.", valueName: "date"),
    transform: ClassesGenerate.day
  )
  var summaryFrom: CalendarDay?

  @Option(
    help: ArgumentHelp("With --summary: the last day.", valueName: "date"),
    transform: ClassesGenerate.day
  )
  var summaryTo: CalendarDay?

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

  /// Refuses what does not go together with the rest of an export.
  func validate(_ export: ExportCommand) throws {
    guard summary else { return }
    if !export.isOneWorkbook {
      throw ValidationError("--summary is a sheet of one workbook: name a file that ends in .xlsx.")
    }
    let isPart =
      export.fields != nil || export.limit != nil || export.orderBy != nil || export.query.group
      || !export.query.filters.isEmpty || export.schedule.since != nil
    if !export.all || isPart {
      throw ValidationError("--summary counts what is exported: it needs --all, whole.")
    }
  }

}

extension ExportJob {
  /// The report that comes before the tables; nil where none is asked for.
  ///
  /// - Throws: `.usage` where the data are not the gym's.
  func summary(_ schema: DatabaseSchema) throws(Failure) -> Export.Summary? {
    guard hasSummary else { return nil }
    try schema.assertGym("export --summary")
    let zone = try schema.zone()
    let today = zone.day(of: .now)
    var days = today.monthDays
    if let summaryFrom, let summaryTo { days = summaryFrom...max(summaryFrom, summaryTo) }
    let words = ReportWords(headerLanguage == "en" ? .english : .spanish)
    let builder = SharedBuilder(ReportBuilder(days: days, asOf: today, in: zone))
    return Export.Summary(name: words.sheetName, add: builder.add) { builder.report.sheet(words) }
  }

}

extension Export.Summary {
  /// Puts check-ins before members, as ``ReportBuilder`` asks for; nothing else changes its place.
  static func arrange(_ reads: inout [CollectionRead]) {
    func place(_ name: String) -> Int? { reads.firstIndex { $0.collection.string == name } }
    if let members = place("members"), let checkIns = place("check_ins"), members < checkIns {
      reads.insert(reads.remove(at: checkIns), at: members)
    }
  }
}

/// A builder that the task of an export adds to.
private final class SharedBuilder: Sendable {
  private let builder: Mutex<ReportBuilder>

  init(_ builder: ReportBuilder) {
    self.builder = Mutex(builder)
  }

  @Sendable func add(_ documents: [RawDocument]) {
    builder.withLock { builder in for document in documents { builder.add(document) } }
  }

  var report: OwnerReport { builder.withLock(\.report) }
}
