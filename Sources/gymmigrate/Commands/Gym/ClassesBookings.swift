import GymServices
import Logging
import Schema
import Tables

/// `gymmigrate classes bookings`.
struct ClassesBookings: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bookings",
    abstract: "Show who is booked.",
    discussion: """
      Prints one line per active booking: day, hour and name of the class, name, phone and email of the user, separated \
      by tabs. Where a name is not known, the id stands.

        gymmigrate classes bookings 1DfftPukTaXkfsRgp0Yt -e stage
        gymmigrate classes bookings --of 2026-01-05 -e stage -o booked.csv --header spanish
      """
  )

  @Argument(help: "The id of a class.")
  var classID: String?

  @Option(
    name: .customLong("of"),
    help: ArgumentHelp("The classes of a day, as 2026-01-05.", valueName: "date"),
    transform: ClassesGenerate.day
  )
  var day: CalendarDay?

  @Option(help: ArgumentHelp("The classes of a series, by its recurrenceGroupId.", valueName: "id"))
  var series: String?

  @OptionGroup var table: ClassReportOptions
  @OptionGroup var common: PrintingOptions

  func validate() throws {
    if [classID != nil, day != nil, series != nil].count(where: { $0 }) != 1 {
      throw ValidationError("Say which: the id of a class, --of a day, or --series; one of the three.")
    }
    try TypedValue.assertIDs([classID].compactMap { $0 })
    if let series, PlainText.isBlank(series) { throw ValidationError("--series: give the id of a series.") }
  }

  func run() async throws {
    let booked: ClassReports.Booked =
      classID.map { .ofClass($0) } ?? day.map { .onDay($0) } ?? .ofSeries(series ?? "")
    try await common.perform("classes bookings") { session in
      let bookings = try await session.classReports().bookings(booked)
      if bookings.isEmpty { session.logger.notice("Nobody is booked.") }
      try table.write(bookings.map(\.row), of: BookingRecord.table) {
        $0.member("bookings", objects: bookings) {
          $0.member("class", $1.className)
          $0.member("classId", $1.classID)
          $0.member("day", $1.day?.text)
          $0.member("email", $1.email)
          $0.member("id", $1.id)
          $0.member("name", $1.name)
          $0.member("phone", $1.phone)
          $0.member("start", $1.start)
          $0.member("userId", $1.userID)
        }
      } lines: {
        bookings.map { booking in
          TerminalText(cells: [
            booking.day?.text ?? "-", booking.start ?? "-", booking.className ?? booking.classID,
            booking.name ?? booking.userID, booking.phone ?? "-", booking.email ?? "-",
          ])
        }
      }
      return CommandResult()
    }
  }
}
