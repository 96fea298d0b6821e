import GymModels
import GymServices
import Logging
import Schema
import Tables

/// `gymmigrate classes`: manages classes in series.
struct ClassesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "classes",
    abstract: "Show classes, bookings and attendance; create and cancel series.",
    subcommands: [
      ClassesWeek.self, ClassesBookings.self, ClassesAttendance.self, ClassesGenerate.self,
      ClassesCancel.self, ClassesCancelSeries.self,
    ]
  )
}

struct ClassesGenerate: JobCommand {
  static let configuration = CommandConfiguration(
    commandName: "generate",
    abstract: "Create a class on some days of the week.",
    discussion: """
      Makes one document a day, with a shared recurrenceGroupId, which is printed. Days and hours are those of the gym's \
      zone. The ids follow from name, days of the week, hour and day: run again, the command creates nothing, and a \
      longer range continues the series. With -n it prints a calendar instead.

        gymmigrate classes generate --nombre Spinning --days mon,wed \\
            --from 2026-01-05 --to 2026-01-30 --start 07:00 --minutes 60 \\
            --capacity 20 -e stage
      """
  )

  @Option(help: "The name of the class.", as: TypedValue.text("text"))
  var nombre: String

  @Option(
    help: "Days of the week: \(ClassSeries.weekdayNames.joined(separator: ",")); in Spanish, too: lun,mié.",
    as: Self.weekdays
  )
  var days: Set<Int>

  @Option(help: "The first day, as 2026-01-05.", as: TypedValue.day)
  var from: CalendarDay

  @Option(help: "The last day.", as: TypedValue.day)
  var to: CalendarDay

  @Option(help: "The hour, as 07:00.", as: Self.time)
  var start: String

  @Option(help: "How long it lasts.", from: 1, to: 1440)
  var minutes: Int

  @Option(help: "How many can take part.", from: 1, to: 10_000)
  var capacity: Int

  @Option(help: "A description.", as: TypedValue.text("text"))
  var description: String?

  @OptionGroup var trial: DryRunOption

  @OptionGroup var common: WritingOptions

  func validate() throws {
    if PlainText.isBlank(nombre) { throw ValidationError("--nombre: give the class a name.") }
    if to < from { throw ValidationError("--to: \(to.text) is before --from \(from.text).") }
    let count = series.dates.count
    if count == 0 { throw ValidationError("--days: none of them is between \(from.text) and \(to.text).") }
    if count > ClassSeries.maximumClasses {
      throw ValidationError("That would be \(count) classes; \(ClassSeries.maximumClasses) are the most.")
    }
  }

  private var series: ClassSeries {
    ClassSeries(
      name: PlainText.tidied(nombre),
      weekdays: days,
      days: from...max(from, to),
      startTime: start,
      minutes: minutes,
      capacity: capacity,
      description: description.map(PlainText.tidied)
    )
  }

  func jobRun() -> JobRun { common.jobRun(SeriesJob(series, isDryRun: trial.dryRun)) }

  /// The number of missing classes, and a line per week with their days.
  fileprivate static func calendar(_ days: [CalendarDay], of series: ClassSeries) -> TerminalText {
    var lines: [TerminalText] = [
      "\(days.count) \(days.count == 1 ? "class" : "classes") would be created (series \(series.id)), at \(series.startTime)."
    ]
    for week in Dictionary(grouping: days, by: \.monday).sorted(by: { $0.key < $1.key }) {
      let shown = (0..<7).map { weekday in
        week.value.contains { $0.weekday == weekday } ? ClassSeries.weekdayNames[weekday] : " . "
      }
      lines.append("week of \(week.key.text)  \(shown.joined(separator: " "))")
    }
    return "\(lines.joined(separator: "\n"))\n"
  }

  // MARK: Values

  private static let weekdays = ValueReader(
    "days",
    expecting: "days of the week: \(ClassSeries.weekdayNames.joined(separator: ","))"
  ) { text in
    let names = text.split(separator: ",", omittingEmptySubsequences: false)
    let days = names.compactMap { ClassSeries.weekday(named: String($0)) }
    return days.count == names.count ? Set(days) : nil
  }

  private static let time = ValueReader("time", expecting: "a time of day, as 07:00") { text in
    // People omit the leading zero; the apps sort by the text, which must have it.
    let time = text.utf8.count == 4 ? "0\(text)" : text
    return FieldFormat.time.matches(time) ? time : nil
  }
}

extension TypedValue {
  static let day = ValueReader("date", expecting: "a day, as 2026-01-05") { CalendarDay($0) }

  /// The first day of a month.
  static let month = ValueReader("month", expecting: "a month, as 2026-01") { text in
    text.utf8.count == 7 ? CalendarDay("\(text)-01") : nil
  }
}

struct ClassesCancelSeries: JobCommand {
  static let configuration = CommandConfiguration(
    commandName: "cancel-series",
    abstract: "Cancel the classes of a series.",
    discussion: """
      Sets isActive to false, as the apps do. The past is spared: classes of today and later are cancelled, or from \
      --from on. Active bookings of the cancelled classes are listed, and left as they are; 'classes cancel --series' \
      cancels them, too. Exits with 66 where no class has that id.

        gymmigrate classes cancel-series 3Jw0tYVb8nQmK2sRfLx1 -e stage -n
      """
  )

  @Argument(help: "The recurrenceGroupId of the classes.")
  var series: String

  @Option(help: "The first day whose class is cancelled (default: today).", as: TypedValue.day)
  var from: CalendarDay?

  @OptionGroup var emptiness: EmptinessOptions
  @OptionGroup var plan: PlanOptions
  @OptionGroup var common: WritingOptions

  func validate() throws {
    if PlainText.isBlank(series) { throw ValidationError("Give the id of a series.") }
  }

  func jobRun() throws -> JobRun {
    let schema = try EnvironmentResolver(common.connection).schema()
    try schema.assertGym("classes")
    // The default is today in the gym's time zone.
    let day = try from ?? schema.zone().day(of: .now)
    var job = CancelSeriesJob(series, from: day, plan.settings)
    job.failIfEmpty = emptiness.failIfEmpty
    return common.jobRun(job)
  }
}

extension SeriesJob: PerformableJob {
  func perform(as run: JobRun) async throws -> RunEnding {
    try await CommandRun(run).perform { session, folder in
      try session.schema.assertGym("classes")
      let (series, context) = (series, session.context(folder))
      let service = ClassService(in: try session.schema.zone())
      let pacer = run.write.pacer(in: session)
      let loader = ClassService.loader(in: context, limits: run.write.limits, pacer: pacer)
      var ending = CommandResult(lists: context.lists)
      ending.sections = [IDSection(name: "series", id: series.id)]
      if isDryRun {
        let days = try await service.preview(series, in: context, by: loader)
        if !run.output.json { try StandardOutput.write(ClassesGenerate.calendar(days, of: series)) }
        if session.counts.totals.leavesSomething { ending.status = .incomplete }
        return ending
      }
      if !run.output.json { try StandardOutput.write("\(series.id)\n") }
      try await service.create(series, in: context, by: loader)
      return ending
    }
  }
}

extension CancelSeriesJob: PerformableJob {
  func perform(as run: JobRun) async throws -> RunEnding {
    let schema = try EnvironmentResolver(run.connection).schema()
    try schema.assertGym("classes")
    let (year, month, day) = from.date
    let start = try schema.zone().startOfDay(year: year, month: month, day: day)
    let migration = ClassService.cancellation(of: series, from: start)
    return try await OneOffRun(run: run, plan: plan, failIfEmpty: failIfEmpty).perform { session, _ in
      let remainder = try await SeriesRemainder(of: series, before: from, schema.zone(), in: session.client)
      remainder.log(in: session)
      // Those that the interrupted run has cancelled are among them.
      var classes: Set<UTF8Key> = []
      for read in migration.sources {
        for try await page in session.client.pages(of: read) {
          classes.formUnion(ClassCancellation.cancelled(page, by: page.map { migration.outcome(for: $0) }))
        }
      }
      let bookings = try await ClassService.activeBookings(of: classes, in: session.client)
      session.logger.notice("Active bookings of these classes: \(bookings.count).")
      if !run.output.json {
        for booking in bookings {
          let path = "classBookings/\(booking.id)"
          try StandardOutput.write(cells: ["booked", path, booking.classId, booking.userId])
        }
      }
      return OneOffRun.Work(
        migration: migration,
        reads: migration.sources,
        sections: [BookingsSection(bookings), remainder]
      )
    }
  }
}

/// The active bookings of cancelled classes in the summary.
private struct BookingsSection: SummarySection {
  private struct Booking: Encodable {
    var booking, `class`, user: String
  }

  private let bookings: [Booking]

  init(_ bookings: [ClassBooking]) {
    self.bookings = bookings.map {
      Booking(booking: "classBookings/\($0.id)", class: $0.classId, user: $0.userId)
    }
  }

  var name: StaticString { "bookings" }
  var line: String? { nil }

  func encode(to encoder: any Encoder) throws { try bookings.encode(to: encoder) }
}
