import GymServices
import Logging
import Schema
import Tables

struct ClassesCancel: JobCommand {
  static let configuration = CommandConfiguration(
    commandName: "cancel",
    abstract: "Cancel classes with their bookings.",
    discussion: """
      Sets isActive of the classes to false and estado of their active bookings to cancelada, as one plan: look with -n, \
      and one undo brings both back. Of a series, classes of today and later are cancelled, or from --from on.

        gymmigrate classes cancel 1DfftPukTaXkfsRgp0Yt -e stage -n
        gymmigrate classes cancel --of 2026-01-05 -e stage
      """
  )

  @OptionGroup var classes: BookedClassesOptions

  @Option(help: "With --series: the first day (default: today).", as: TypedValue.day)
  var from: CalendarDay?

  @OptionGroup var emptiness: EmptinessOptions
  @OptionGroup var plan: PlanOptions
  @OptionGroup var common: WritingOptions

  func validate() throws {
    if from != nil, classes.series == nil { throw ValidationError("--from goes with --series.") }
  }

  func jobRun() throws -> JobRun {
    let schema = try EnvironmentResolver(common.connection).schema()
    try schema.assertGym("classes")
    let first = try from ?? schema.zone().day(of: .now)
    var job = CancelClassesJob(classes.booked, from: first, plan.settings)
    job.failIfEmpty = emptiness.failIfEmpty
    return common.jobRun(job)
  }
}

extension CancelClassesJob: PerformableJob {
  func perform(as run: JobRun) async throws -> RunEnding {
    try await OneOffRun(run: run, plan: plan, failIfEmpty: failIfEmpty).perform { session, _ in
      try session.schema.assertGym("classes")
      let zone = try session.schema.zone()
      let remainder = try await remainder(in: session.client, zone)
      let migration = try await migration(in: session.client, zone)
      if try await session.client.empty(among: migration.sources, asFiltered: true) == migration.sources {
        session.logger.notice("There is no such class.")
      }
      remainder?.log(in: session)
      return OneOffRun.Work(
        migration: migration,
        reads: migration.sources,
        sections: remainder.map { [$0] } ?? []
      )
    }
  }
}

extension SeriesRemainder {
  /// Says which classes are left.
  func log(in session: Session) {
    if let notice { session.logger.notice("\(notice)") }
    if let warning { session.logger.warning("\(warning)") }
  }
}

/// Options that select classes: a single one, those of a day, or those of a series.
struct BookedClassesOptions: ParsableArguments {
  @Argument(help: "The id of a class.")
  var classID: String?

  @Option(name: .customLong("of"), help: "The classes of a day, as 2026-01-05.", as: TypedValue.day)
  var day: CalendarDay?

  @Option(help: "The classes of a series, by its recurrenceGroupId.", as: TypedValue.text("id"))
  var series: String?

  func validate() throws {
    if [classID != nil, day != nil, series != nil].count(where: { $0 }) != 1 {
      throw ValidationError("Say which: the id of a class, --of a day, or --series; one of the three.")
    }
    try TypedValue.assertIDs([classID].compactMap { $0 })
    if let series, PlainText.isBlank(series) { throw ValidationError("--series: give the id of a series.") }
  }

  var booked: ClassReports.Booked {
    classID.map { .ofClass($0) } ?? day.map { .onDay($0) } ?? .ofSeries(series ?? "")
  }
}
