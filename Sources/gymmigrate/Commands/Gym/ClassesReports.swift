import GymServices
import Logging
import Schema
import Tables
import Transfer

struct ClassesWeek: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "week",
    abstract: "Show the classes of a week with their bookings.",
    discussion: """
      Prints one line per class that takes place from Monday to Sunday, in the gym's zone: its day, its hour, its name, \
      active bookings / capacity, how long it lasts, and its id, separated by tabs.

        gymmigrate classes week -e stage
        gymmigrate classes week --of 2026-01-05 -e stage -o week.xlsx --header spanish
      """
  )

  @Option(name: .customLong("of"), help: "A day of the week (default: today).", as: TypedValue.day)
  var day: CalendarDay?

  @OptionGroup var table: GymTableOptions
  @OptionGroup var common: PrintingOptions

  func run() async throws {
    try await common.perform("classes week") { session in
      let reports = try session.classReports()
      let day = day ?? reports.day(of: .now)
      let classes = try await reports.week(of: day)
      if classes.isEmpty {
        let week = day.monday.text
        let notice = table.text(
          "No class takes place in the week of \(week).",
          "No hay clases en la semana del \(week)."
        )
        session.logger.notice("\(notice)")
      }
      try table.write(classes.map(\.row), of: ScheduledClass.table) {
        $0.member("classes", objects: classes) {
          $0.member("booked", $1.booked)
          $0.nullable("capacity", $1.capacity)
          $0.member("day", $1.day.text)
          $0.member("id", $1.id)
          $0.nullable("minutes", $1.minutes)
          $0.member("name", $1.name)
          $0.member("start", $1.start)
        }
      } lines: {
        classes.map { found in
          let weekday = table.text(
            ClassSeries.weekdayNames[found.day.weekday],
            ClassSeries.spanishNames[found.day.weekday]
          )
          return TerminalText(cells: [
            "\(weekday) \(found.day.text)", found.start, found.name,
            "\(found.booked)/\(found.capacity.map(String.init) ?? "-")",
            found.minutes.map { "\($0) min" } ?? "-", found.id,
          ])
        }
      }
      return table.result
    }
  }
}

struct ClassesAttendance: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "attendance",
    abstract: "Show who came to classes.",
    discussion: """
      Prints one line per record of attendance: day, hour, class, name of the member or user, and asistió or falta, \
      separated by tabs, then a line with the rate. --member also finds what was recorded for the user who is linked to \
      the member. --month, --from and --to go by the day of the class in the gym's zone. Where a name is not known, the \
      id stands.

        gymmigrate classes attendance --month 2026-01 -e stage
        gymmigrate classes attendance \\
            --member 6e9e3b1c-0000-4000-8000-000000000000 --from 2026-01-05 \\
            --to 2026-02-01 -e stage
      """
  )

  @Option(name: .customLong("class"), help: "The id of a class.", as: TypedValue.text("id"))
  var classID: String?

  @Option(help: "The id of a member.", as: TypedValue.text("id"))
  var member: String?

  @Option(help: "A month, as 2026-01.", as: TypedValue.month)
  var month: CalendarDay?

  @Option(help: "The first day, as 2026-01-05.", as: TypedValue.day)
  var from: CalendarDay?

  @Option(help: "The last day.", as: TypedValue.day)
  var to: CalendarDay?

  @OptionGroup var table: GymTableOptions
  @OptionGroup var common: PrintingOptions

  func validate() throws {
    if classID != nil, member != nil { throw ValidationError("Give --class or --member, not both.") }
    if month != nil, from != nil || to != nil {
      throw ValidationError("Give --month, or --from and --to, not both.")
    }
    if (from == nil) != (to == nil) { throw ValidationError("Give --from and --to together.") }
    if let from, let to, to < from {
      throw ValidationError("--to: \(to.text) is before --from \(from.text).")
    }
    if classID == nil, member == nil, days == nil {
      throw ValidationError("Say whose, with --class or --member, or when, with --month, or --from and --to.")
    }
    if let classID { try TypedValue.assertIDs([classID], of: "--class") }
    if let member { try TypedValue.assertIDs([member], of: "--member") }
  }

  private var selection: ClassReports.Selection {
    if let classID { return .ofClass(classID) }
    return member.map { .ofMember($0) } ?? .all
  }

  private var days: ClosedRange<CalendarDay>? {
    if let from, let to { return from...max(from, to) }
    return month?.monthDays
  }

  func run() async throws {
    try await common.perform("classes attendance") { session in
      let records = try await session.classReports().attendance(selection, on: days)
      let attended = records.count(where: \.attended)
      let unknown = records.count { !$0.isRecorded }
      if unknown > 0 {
        let warning = table.text(
          "\(NumberText.counted(unknown, "record")) without true or false in asistio; each counts as an absence, as in the app.",
          "\(NumberText.counted(unknown, "registro")) sin verdadero o falso en asistio; cada uno cuenta como falta, como en la app."
        )
        session.logger.warning("\(warning)")
      }
      let people = Set(records.map { [UTF8Key($0.classID), UTF8Key($0.identity)] })
      if records.count > people.count {
        let count = records.count - people.count
        let notice = table.text(
          "\(NumberText.counted(count, "record")) beyond the first of a person and class; the rate counts each.",
          "\(NumberText.counted(count, "registro")) de más de una persona en una misma clase; la asistencia los cuenta todos."
        )
        session.logger.notice("\(notice)")
      }
      try table.write(records.map(\.row), of: AttendanceRecord.table) {
        $0.member("attended", attended)
        if !records.isEmpty { $0.member("rate", Double(attended) / Double(records.count)) }
        $0.member("records", objects: records) {
          $0.member("attended", $1.attended)
          $0.member("class", $1.className)
          $0.member("classId", $1.classID)
          $0.member("day", $1.day?.text)
          $0.member("id", $1.id)
          $0.member("name", $1.personName)
          $0.member("person", $1.personID)
          $0.member("start", $1.start)
        }
      } lines: {
        let lines = records.map { record in
          TerminalText(cells: [
            record.day?.text ?? "-", record.start ?? "-", record.className ?? record.classID,
            record.personName ?? record.personID ?? "-",
            record.attendance,
          ])
        }
        return lines + [rate(attended, of: records.count)]
      }
      return table.result
    }
  }

  /// The last line: `rate  8/10  80.0 %`.
  private func rate(_ attended: Int, of count: Int) -> TerminalText {
    let tenths = count == 0 ? 0 : (attended * 2000 + count) / (2 * count)
    let share = count == 0 ? "-" : "\(tenths / 10).\(tenths % 10) %"
    return TerminalText(cells: [table.text("rate", "asistencia"), "\(attended)/\(count)", share])
  }

}

/// The output of a report: lines on standard output, one JSON object, or a table in a file.
struct GymTableOptions: ParsableArguments {
  @Option(
    name: .shortAndLong,
    help: "Write a table to this file, .csv, .xlsx or .jsonl, instead of lines.",
    as: TypedValue.localFile.named("path")
  )
  var output: String?

  @Option(
    name: [.long, .customLong("lang")],
    help: ArgumentHelp(
      "The language: english or spanish; fields is English, with field names in the header of CSV and XLSX."
    ).withDefault("fields"),
    as: TypedValue.header
  )
  var header = Column.HeaderLanguage.fieldNames

  @Flag(help: "Print JSON instead of lines.") var json = false

  func validate() throws {
    if case .labels(let language) = header, !["en", "es"].contains(language) {
      throw ValidationError("--lang: '\(language)' is not en (english), es (spanish) or fields.")
    }
    guard let output else { return }
    if json { throw ValidationError("Give --json or --output, not both.") }
    if [nil, .sqlite].contains(ExportJob.Format(fileName: output)) {
      throw ValidationError(
        "--output: '\(output)' does not name a format; give a name that ends in .csv, .xlsx or .jsonl."
      )
    }
    if FileCheck.isFolder(output) || output.hasSuffix("/") {
      throw ValidationError("--output: '\(output)' is a folder; give a file.")
    }
  }

  /// Returns a text in the requested language, which is English unless it is Spanish.
  func text(_ english: String, _ spanish: String) -> String {
    header == .labels("es") ? spanish : english
  }

  /// The result of a report, which names its file.
  var result: CommandResult { CommandResult(lists: output.map { [$0] } ?? []) }

  /// Writes a report.
  ///
  /// - Parameters:
  ///   - schema: Defines the headings of the columns.
  ///   - members: Writes the members of the JSON object.
  func write(
    _ rows: [RawDocument],
    of collection: CollectionPath,
    in schema: DatabaseSchema = ClassReports.schema,
    _ members: (inout JSONWriter) -> Void,
    lines: () -> [TerminalText]
  ) throws {
    if json { return try StandardOutput.writeObject(members) }
    guard let output, let format = try format(of: output, schema) else {
      for line in lines() { try StandardOutput.write("\(line)\n") }
      return
    }
    try FileAccess.local.assertWritable(output)
    let file = try ExportOutput(.file(output), format)
    let writer = try file.writer(for: collection)
    try writer.append(contentsOf: rows)
    try writer.finish()
    _ = try file.finish()
  }

  private func format(of output: String, _ schema: DatabaseSchema) throws -> ExportFormat? {
    guard let name = ExportJob.Format(fileName: output) else { return nil }
    var job = ExportJob([], all: false)
    (job.output, job.format, job.isForExcel) = (output, name, true)
    if case .labels(let language) = header { job.headerLanguage = language }
    if name == .xlsx { job.query.timeZone = "UTC" }
    return try job.exportFormat(schema, isPart: false)
  }
}

extension JSONWriter {
  /// Writes a member with an integer, or null.
  fileprivate mutating func nullable(_ name: StaticString, _ number: Int?) {
    key(name)
    if let number { integer(number) } else { null() }
  }
}

extension Session {
  /// Returns the reports on classes, in the gym's time zone.
  func classReports() throws -> ClassReports {
    try schema.assertGym("classes")
    let counts = counts
    return ClassReports(client, in: try schema.zone()) { collection, count in
      counts.update(collection) { $0.read += count }
    }
  }
}
