import Configuration
import GymReports
import Schema
import Tables

/// `gymmigrate report`: reports for the owner.
struct ReportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report",
    abstract: "Show the owner's numbers: income, expenses, check-ins, stock.",
    discussion: """
      Prints tables with bars, or writes one HTML page (-o report.html) or a workbook (-o report.xlsx), both with \
      charts, or prints one JSON object with money in cents. \
      Days and hours are those of the gym's zone, money is MXN. Income is the sum of completed payments, by the day \
      on which they were completed, else created.

        gymmigrate report month 2026-01 -e stage
        gymmigrate report owner --from 2025-01-01 --to 2025-12-31 -e stage \\
            -o 2025.html
        gymmigrate report month 2026-01 -e stage -o january.xlsx
      """,
    subcommands: [ReportMonth.self, ReportWeek.self, ReportOwner.self]
  )
}

struct ReportMonth: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "month", abstract: "Report on a month.")

  @Argument(
    help: ArgumentHelp("The month, as 2026-01 (default: this one).", valueName: "month"),
    transform: TypedValue.month.read
  )
  var month: CalendarDay?

  @OptionGroup var report: ReportOptions

  func run() async throws {
    try await report.run("report month") { today in (month ?? today).monthDays }
  }
}

struct ReportWeek: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "week",
    abstract: "Report on a week, Monday to Sunday."
  )

  @Argument(
    help: ArgumentHelp("A day of the week, as 2026-01-05 (default: today).", valueName: "date"),
    transform: TypedValue.day.read
  )
  var day: CalendarDay?

  @OptionGroup var report: ReportOptions

  func run() async throws {
    try await report.run("report week") { today in
      let monday = (day ?? today).monday
      return monday...CalendarDay(number: monday.number + 6)
    }
  }
}

struct ReportOwner: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "owner", abstract: "Report on any days.")

  @Option(help: "The first day, as 2026-01-05.", as: TypedValue.day)
  var from: CalendarDay

  @Option(help: "The last day.", as: TypedValue.day)
  var to: CalendarDay

  @OptionGroup var report: ReportOptions

  func validate() throws {
    if to < from { throw ValidationError("--to: \(to.text) is before --from \(from.text).") }
  }

  func run() async throws {
    let days = from...max(from, to)
    try await report.run("report owner") { _ in days }
  }
}

/// The options that the reports have in common.
struct ReportOptions: ParsableArguments {
  /// The reader of a report.
  enum Role: String, CaseIterable, ExpressibleByArgument {
    case owner, receptionist
  }

  @Option(
    name: .shortAndLong,
    help: "Write a page with charts to this file, .html, or a workbook with charts, .xlsx, instead.",
    as: TypedValue.localFile.named("path")
  )
  var output: String?

  @Option(help: ArgumentHelp("The language: es or en.", valueName: "language"))
  var lang = ReportWords.Language.spanish

  @Option(help: "Who reads it: owner, or receptionist, who sees no expenses.")
  var role = Role.owner

  @Option(
    help: "The day from which memberships that end soon are counted (default: today).",
    as: TypedValue.day
  )
  var asOf: CalendarDay?

  @Flag(help: "Print one JSON object instead; money in cents.") var json = false

  @OptionGroup var common: PrintingOptions

  func validate() throws {
    guard let output else { return }
    if json { throw ValidationError("Give --json or --output, not both.") }
    if ![.html, .xlsx].contains(FileName(output).kind) {
      throw ValidationError(
        "--output: '\(output)' names neither a page nor a workbook; give a name that ends in .html or .xlsx."
      )
    }
  }

  /// Reads and prints a report.
  ///
  /// - Parameter days: Returns the days of the report, given the current day.
  func run(
    _ name: String,
    _ days: (_ today: CalendarDay) -> ClosedRange<CalendarDay>
  ) async throws {
    // Whether the output can be written is checked before anything is read.
    try FileAccess.local.assertWritable(output)
    try await common.perform(name) { session in
      try session.schema.assertGym("report")
      let zone = try session.schema.zone()
      let today = zone.day(of: .now)
      let days = days(today)
      let builder = ReportBuilder(
        days: days,
        asOf: asOf ?? today,
        today: today,
        seesExpenses: role == .owner,
        in: zone
      )
      // Everything is read at one time, if the service permits that.
      let readTime = try await session.client.readTime(.pinned, of: session.environment, session.logger)
      let report = try await OwnerReport.read(
        builder,
        of: days,
        from: session.client,
        in: zone,
        readTime: readTime,
        logger: session.logger
      ) { collection, count in
        session.counts.update(collection) { $0.read += count }
      }
      try write(report, of: session.environment, at: readTime, in: zone)
      return CommandResult(lists: output.map { [$0] } ?? [])
    }
  }

  private func write(
    _ report: OwnerReport,
    of environment: DatabaseEnvironment,
    at readTime: Timestamp?,
    in zone: LocalTimeZone
  ) throws {
    let words = ReportWords(lang)
    if json { return try StandardOutput.writeObject { report.writeMembers(to: &$0) } }
    guard let output else { return try StandardOutput.write(report.text(words)) }
    if FileName(output).kind == .xlsx { return try report.writeWorkbook(output, words, in: zone) }
    let place = "\(environment.name), \(environment.database)"
    try OutputFile.write(report.page(words, of: place, at: readTime), to: output)
  }
}

extension ReportWords.Language: ExpressibleByArgument {
  init?(argument: String) {
    self.init(rawValue: ["english": "en", "spanish": "es"][argument] ?? argument)
  }
}
