import GymServices
import Logging
import Schema

struct ClassesBookings: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bookings",
    abstract: "Show who is booked.",
    discussion: """
      Prints one line per active booking: day, hour and name of the class, name, phone and email of the user, id of \
      the class, separated by tabs. Where a name is not known, the id stands.

        gymmigrate classes bookings 1DfftPukTaXkfsRgp0Yt -e stage
        gymmigrate classes bookings --of 2026-01-05 -e stage -o booked.csv \\
            --header spanish
      """
  )

  @OptionGroup var classes: BookedClassesOptions
  @OptionGroup var table: GymTableOptions
  @OptionGroup var common: PrintingOptions

  func run() async throws {
    try await common.perform("classes bookings") { session in
      let (bookings, left) = try await session.classReports().bookings(classes.booked)
      if left > 0 {
        let notice = table.text(
          "\(NumberText.counted(left, "active booking")) of cancelled classes left out; 'classes cancel' cancels them, too.",
          "Sin contar \(NumberText.counted(left, "reserva activa", plural: "reservas activas")) de clases canceladas; 'classes cancel' también las cancela."
        )
        session.logger.notice("\(notice)")
      }
      if bookings.isEmpty {
        let isNoClass = session.counts.totals.read == 0
        let notice =
          isNoClass
          ? table.text("There is no class then.", "No hay clases entonces.")
          : table.text("Nobody is booked.", "No hay reservas.")
        session.logger.notice("\(notice)")
      }
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
            booking.name ?? booking.userID, booking.phone ?? "-", booking.email ?? "-", booking.classID,
          ])
        }
      }
      return table.result
    }
  }
}
