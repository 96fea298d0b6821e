import GymServices
import Schema
import Tables
import Transfer

/// `gymmigrate classes week`.
struct ClassesWeek: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "week",
    abstract: "Show the classes of a week with their bookings.",
    discussion: """
      Prints one line per class that takes place from Monday to Sunday, in the gym's zone: its day, its hour, its name, \
      and active bookings / capacity, separated by tabs.

        gymmigrate classes week -e stage
        gymmigrate classes week --of 2026-01-05 -e stage -o week.xlsx --header spanish
      """
  )

  @Option(
    name: .customLong("of"),
    help: ArgumentHelp("A day of the week (default: today).", valueName: "date"),
    transform: ClassesGenerate.day
  )
  var day: CalendarDay?

  @OptionGroup var table: ClassReportOptions
  @OptionGroup var common: PrintingOptions

  func run() async throws {
    try await common.perform("classes week") { session in
      let reports = try session.classReports()
      let classes = try await reports.week(of: day ?? reports.day(of: .now))
      try table.write(classes.map(\.row), of: ScheduledClass.table) {
        $0.member("classes", objects: classes) {
          $0.member("booked", $1.booked)
          $0.member("capacity", $1.capacity)
          $0.member("day", $1.day.text)
          $0.member("id", $1.id)
          $0.member("name", $1.name)
          $0.member("start", $1.start)
        }
      } lines: {
        classes.map { found in
          let day = "\(ClassSeries.weekdayNames[found.day.weekday]) \(found.day.text)"
          return "\(day)\t\(found.start)\t\(found.name)\t\(found.booked)/\(found.capacity)"
        }
      }
      return CommandResult()
    }
  }
}

/// `gymmigrate classes attendance`.
struct ClassesAttendance: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "attendance",
    abstract: "Show who came to classes.",
    discussion: """
      Prints one line per record of attendance: day, hour, class, name of the member or user, and asistió or falta, \
      separated by tabs, then a line with the rate. --member also finds what was recorded for the user who is linked to \
      the member. --month goes by the day of the class in the gym's zone. What is not known is '-'.

        gymmigrate classes attendance --month 2026-01 -e stage
        gymmigrate classes attendance --class seedClass0 -e local -o attendance.csv --header spanish
      """
  )

  @Option(name: .customLong("class"), help: ArgumentHelp("The id of a class.", valueName: "id"))
  var classID: String?

  @Option(help: ArgumentHelp("The id of a member.", valueName: "id"))
  var member: String?

  @Option(help: ArgumentHelp("A month, as 2026-01.", valueName: "month"), transform: Self.month)
  var month: CalendarDay?

  @OptionGroup var table: ClassReportOptions
  @OptionGroup var common: PrintingOptions

  func validate() throws {
    if [classID != nil, member != nil, month != nil].count(where: { $0 }) != 1 {
      throw ValidationError("Say whose: --class, --member or --month; one of the three.")
    }
    for (name, id) in [("--class", classID), ("--member", member)] {
      guard let id, let violation = PathLimits.violation(ofID: id, isDocument: true) else { continue }
      throw ValidationError("\(name): \(violation.message).")
    }
  }

  private var selection: ClassReports.Selection {
    if let classID { return .ofClass(classID) }
    if let member { return .ofMember(member) }
    let (year, month, _) = (month ?? CalendarDay(number: 0)).date
    return .ofMonth(year: year, month: month)
  }

  func run() async throws {
    let selection = selection
    try await common.perform("classes attendance") { session in
      let records = try await session.classReports().attendance(selection)
      let attended = records.count(where: \.attended)
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
            record.day?.text ?? "-", record.start ?? "-", record.className ?? "-", record.personName ?? "-",
            record.attendance,
          ])
        }
        return lines + [Self.rate(attended, of: records.count)]
      }
      return CommandResult()
    }
  }

  /// The last line: `rate  8/10  80.0 %`.
  private static func rate(_ attended: Int, of count: Int) -> TerminalText {
    if count == 0 { return "rate\t0/0\t-" }
    let tenths = (attended * 2000 + count) / (2 * count)
    return "rate\t\(attended)/\(count)\t\(tenths / 10).\(tenths % 10) %"
  }

  static func month(_ text: String) throws -> CalendarDay {
    guard text.utf8.count == 7, let day = CalendarDay("\(text)-01") else {
      throw ValidationError("give a month, as 2026-01.")
    }
    return day
  }
}

/// Where a report goes: lines on standard output, one JSON object, or a table in a file.
struct ClassReportOptions: ParsableArguments {
  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "Write a table to this file, .csv, .xlsx or .jsonl, instead of lines.",
      valueName: "path"
    ),
    transform: TypedValue.localFile
  )
  var output: String?

  @Option(
    help: ArgumentHelp("The header of CSV and XLSX: fields, english or spanish.", valueName: "language")
      .withDefault("fields"),
    transform: TypedValue.header
  )
  var header = Column.HeaderLanguage.fieldNames

  @Flag(help: "Print one JSON object instead of lines.") var json = false

  func validate() throws {
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

  /// Writes a report.
  ///
  /// - Parameter members: Writes the members of the JSON object.
  func write(
    _ rows: [RawDocument],
    of collection: CollectionPath,
    _ members: (inout JSONWriter) -> Void,
    lines: () -> [TerminalText]
  ) throws {
    if json { return try StandardOutput.writeObject(members) }
    guard let output, let format = try format(of: output) else {
      for line in lines() { try StandardOutput.write("\(line)\n") }
      return
    }
    let file = try ExportOutput(.file(output), format)
    let writer = try file.writer(for: collection)
    try writer.append(contentsOf: rows)
    try writer.finish()
    _ = try file.finish()
  }

  private func format(of output: String) throws -> ExportFormat? {
    guard let name = ExportJob.Format(fileName: output) else { return nil }
    var job = ExportJob([], all: false)
    (job.output, job.format, job.isForExcel) = (output, name, true)
    if case .labels(let language) = header { job.headerLanguage = language }
    if name == .xlsx { job.query.timeZone = "UTC" }
    return try job.exportFormat(ClassReports.schema, isPart: false)
  }
}

extension Session {
  /// The reports on classes, in the gym's zone.
  fileprivate func classReports() throws -> ClassReports {
    try schema.assertGym("classes")
    let counts = counts
    return ClassReports(client, in: try schema.zone()) { collection, count in
      counts.update(collection) { $0.read += count }
    }
  }
}
