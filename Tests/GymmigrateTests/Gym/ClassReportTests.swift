import Foundation
import TestSupport
import Testing

@Suite("Who is booked, and who came", .timeLimit(.minutes(60)))
struct ClassReportTests {
  /// A class of Monday, one of Wednesday, and one of Wednesday that is cancelled; bookings, and records of attendance.
  private func withClasses(_ body: (Tool) async throws -> Void) async throws {
    func gymClass(_ name: String, _ day: Int, isActive: Bool = true) -> [String: String] {
      [
        "nombre": s(name), "fecha": t("2026-01-0\(day)T06:00:00Z"), "horaInicio": s("07:00"),
        "duracionMin": i(45), "capacidadMax": i(20), "isActive": b(isActive),
        "recurrenceGroupId": s("series"),
      ]
    }
    func booking(_ gymClass: String, _ user: String, _ state: String = "activa") -> [String: String] {
      ["classId": s(gymClass), "userId": s(user), "estado": s(state)]
    }
    try await withTool { tool in
      try await tool.load([
        "classes/mon": gymClass("Box", 5), "classes/wed": gymClass("Spinning", 7),
        "classes/off": gymClass("Yoga", 7, isActive: false),
        "users/ana": ["fullName": s("Ana Ruiz"), "phone": s("5510203040"), "email": s("ana@example.com")],
        "members/m1": ["firstName": s("Ana"), "paternalLastName": s("Ruiz"), "linkedUserId": s("ana")],
        "classBookings/b1": booking("mon", "ana"), "classBookings/b2": booking("wed", "nobody"),
        "classBookings/b3": booking("mon", "nobody", "cancelada"), "classBookings/b4": booking("off", "ana"),
        "classAttendance/a1": [
          "classId": s("mon"), "memberId": s("m1"), "asistio": b(true),
          "timestamp": t("2026-01-05T14:00:00Z"),
        ],
        "classAttendance/a2": ["classId": s("wed"), "userId": s("ana"), "asistio": b(false)],
        "classAttendance/a3": ["classId": s("wed"), "userId": s("nobody"), "asistio": b(true)],
      ])
      try await body(tool)
    }
  }

  @Test("Active bookings are listed with what the app reads of the user, and ids where nothing is known.")
  func bookings() async throws {
    let ana = "2026-01-05\t07:00\tBox\tAna Ruiz\t5510203040\tana@example.com\tmon"
    let nobody = "2026-01-07\t07:00\tSpinning\tnobody\t-\t-\twed"
    let off = "2026-01-07\t07:00\tYoga\tAna Ruiz\t5510203040\tana@example.com\toff"
    try await withClasses { tool in
      for (words, lines) in [
        (["mon"], [ana]), (["off"], [off]), (["--of", "2026-01-05"], [ana]),
        (["--of", "2026-01-07"], [nobody]),
        (["--series", "series"], [ana, off, nobody]), (["--of", "2026-01-06"], []),
      ] {
        let result = try await tool.bare(["classes", "bookings"] + words + tool.place).expect(0)
        #expect(result.output.split(separator: "\n").map(String.init) == lines, "\(words)")
        #expect(result.errors.contains("There is no class then.") == lines.isEmpty, "\(result.errors)")
      }
      let day = ["--of", "2026-01-07"]
      let english = try await tool.bare(["classes", "bookings"] + day + tool.place)
      #expect(english.errors.contains("1 active booking of cancelled classes left out"), "\(english.errors)")
      let translated = try await tool.bare(["classes", "bookings", "--lang", "es"] + day + tool.place)
      #expect(translated.errors.contains("1 reserva activa de clases canceladas"), "\(translated.errors)")
      try await tool.run("classes", "bookings", "gone").expectFailure(
        66,
        "classes/gone",
        "lists classes with their ids"
      )
      try await tool.run("classes", "bookings", "--series", "gone").expectFailure(66, "gone")
      try await tool.run("classes", "bookings").expectFailure(64, "--series")
      let booked = try await tool.run("classes", "bookings", "--of", "2026-01-05", "-o", "booked.csv")
      #expect(booked.exitCode == 0 && booked.errors.contains("See booked.csv."), "\(booked.errors)")
      let table = try tool.text("booked.csv")
      #expect(table.contains("5510203040"))
      try await tool.run("fix", "classBookings", "--all-documents", "--set", "estado=cancelada", "-y").expect(
        0
      )
      let empty = try await tool.run("classes", "bookings", "--of", "2026-01-05")
      #expect(empty.errors.contains("Nobody is booked."), "\(empty.errors)")
      let spanish = try await tool.run("classes", "bookings", "--of", "2026-01-05", "--header", "spanish")
      #expect(spanish.errors.contains("No hay reservas."), "\(spanish.errors)")
    }
  }

  @Test("A member's attendance can be that of some days, and what has no name has its id.")
  func attendance() async throws {
    let first = "2026-01-05\t07:00\tBox\tAna Ruiz\tasistió"
    let second = "2026-01-07\t07:00\tSpinning\tAna Ruiz\tfalta"
    let other = "2026-01-07\t07:00\tSpinning\tnobody\tasistió"
    try await withClasses { tool in
      for (words, lines) in [
        (["--member", "m1"], [first, second]),
        (["--member", "m1", "--from", "2026-01-06", "--to", "2026-01-07"], [second]),
        (["--class", "mon", "--month", "2026-01"], [first]), (["--class", "mon", "--month", "2026-02"], []),
        (["--from", "2026-01-07", "--to", "2026-01-07"], [second, other]),
      ] {
        let result = try await tool.bare(["classes", "attendance"] + words + tool.place).expect(0)
        let found = result.output.split(separator: "\n").map(String.init)
        #expect(found.dropLast().sorted() == lines.sorted(), "\(words)")
      }
      let spanish = try await tool.run("classes", "attendance", "--month", "2026-01", "--lang", "es")
      #expect(spanish.output.contains("\nasistencia\t2/3\t"), "\(spanish.output)")
      // Classes and a record are read twice, and counted once.
      let month = try await tool.run("classes", "attendance", "--month", "2026-01")
      #expect(month.errors.contains("classes: 3 read\n"), "\(month.errors)")
      #expect(month.errors.contains("classAttendance: 3 read\n"), "\(month.errors)")
      for words in [["--from", "2026-01-07"], ["--class", "a", "--member", "b"], []] {
        try await tool.bare(["classes", "attendance"] + words + tool.place).expectFailure(64)
      }
    }
  }

  @Test("A record that says neither true nor false counts as an absence, and is said to.")
  func unrecordedAttendance() async throws {
    try await withTool { tool in
      var documents: Documents = ["classes/c": ["nombre": s("Box")]]
      for (number, value) in [b(true), b(false), s("si"), nil].enumerated() {
        var fields = ["classId": s("c"), "memberId": s("m\(number)")]
        fields["asistio"] = value
        documents["classAttendance/a\(number)"] = fields
      }
      try await tool.load(documents)
      let said = try await tool.run("classes", "attendance", "--class", "c")
      #expect(said.output.hasSuffix("rate\t1/4\t25.0 %\n"), "\(said.output)")
      #expect(said.errors.contains("2 records without true or false in asistio"), "\(said.errors)")
    }
  }

  @Test("A person who is recorded several times for a class is said to be.")
  func repeatedAttendance() async throws {
    try await withTool { tool in
      var documents: Documents = [
        "members/m1": ["firstName": s("Ana")], "classes/c": ["nombre": s("Box")],
        "classes/d": ["nombre": s("Box")],
        "classAttendance/d": ["classId": s("d"), "memberId": s("m1"), "asistio": b(true)],
      ]
      for (number, member) in ["m1", "m1", "m1", "m2"].enumerated() {
        documents["classAttendance/a\(number)"] = [
          "classId": s("c"), "memberId": s(member), "asistio": b(true),
        ]
      }
      try await tool.load(documents)
      let several = try await tool.run("classes", "attendance", "--class", "c")
      #expect(several.output.hasSuffix("rate\t4/4\t100.0 %\n"), "\(several.output)")
      #expect(
        several.errors.contains("2 records beyond the first of a person and class"),
        "\(several.errors)"
      )
      let spanish = try await tool.run("classes", "attendance", "--class", "c", "--lang", "es")
      #expect(spanish.errors.contains("2 registros de más"), "\(spanish.errors)")
      let once = try await tool.run("classes", "attendance", "--class", "d")
      #expect(!once.errors.contains("beyond the first"), "\(once.errors)")
    }
  }

  @Test("A name is that of the member, else that of the user of the record, else there is the id.")
  func names() async throws {
    func record(_ member: String, _ user: String) -> [String: String] {
      ["classId": s("c"), "memberId": s(member), "userId": s(user), "asistio": b(true)]
    }
    try await withTool { tool in
      try await tool.load([
        "classes/c": ["nombre": s("Box")], "members/m": ["firstName": s("Luz")],
        "members/blank": ["firstName": s(" ")], "users/u": ["fullName": s("Ana Ruiz")],
        "users/none": ["fullName": s(" ")], "classAttendance/1": record("m", "u"),
        "classAttendance/2": record("gone", "u"), "classAttendance/3": record("blank", "u"),
        "classAttendance/4": record("blank", "none"),
      ])
      let result = try await tool.run("classes", "attendance", "--class", "c").expect(0)
      let names = result.output.split(separator: "\n").dropLast().map { $0.split(separator: "\t")[3] }
      #expect(names.sorted() == ["Ana Ruiz", "Ana Ruiz", "Luz", "blank"])
      let json = try await tool.run("classes", "attendance", "--class", "c", "--json")
      #expect(json.output.components(separatedBy: #""name":"Ana Ruiz""#).count == 3, "\(json.output)")
    }
  }

  @Test(
    "A record of a user and one of the linked member are of one person, whichever of the two has the link.",
    arguments: [(true, true), (true, false), (false, true)]
  )
  func linkedAttendance(_ user: Bool, _ member: Bool) async throws {
    func record(_ field: String, _ id: String) -> [String: String] {
      ["classId": s("c"), field: s(id), "asistio": b(true)]
    }
    try await withTool { tool in
      try await tool.load([
        "classes/c": ["nombre": s("Box"), "fecha": t("2026-01-05T06:00:00Z")],
        "users/u1": user ? ["linkedMemberId": s("m1")] : [:],
        "members/m1": member ? ["linkedUserId": s("u1")] : [:], "classAttendance/1": record("userId", "u1"),
        "classAttendance/2": record("memberId", "m1"), "classAttendance/3": record("userId", "u2"),
      ])
      for (words, count) in [
        (["--class", "c"], 3), (["--month", "2026-01"], 3), (["--member", "m1"], 2),
      ] {
        let said = try await tool.bare(["classes", "attendance"] + words + tool.place).expect(0)
        #expect(said.output.contains("rate\t\(count)/\(count)\t"), "\(words): \(said.output)")
        #expect(said.errors.contains("1 record beyond the first of a person"), "\(words): \(said.errors)")
      }
    }
  }

  @Test("Members who share a user are several people.")
  func sharedUser() async throws {
    try await withTool { tool in
      var documents: Documents = ["classes/c": ["nombre": s("Box")], "users/u": [:]]
      for (number, field) in ["memberId", "memberId", "userId"].enumerated() {
        documents["members/m\(number)"] = ["linkedUserId": s("u")]
        documents["classAttendance/\(number)"] = [
          "classId": s("c"), field: s(field == "userId" ? "u" : "m\(number)"), "asistio": b(true),
        ]
      }
      try await tool.load(documents)
      let said = try await tool.run("classes", "attendance", "--class", "c").expect(0)
      #expect(said.output.contains("rate\t3/3\t") && !said.errors.contains("beyond"), "\(said.errors)")
    }
  }

  @Test("The last day of the calendar is one like any other.")
  func lastDay() async throws {
    try await withTool { tool in
      try await tool.load([
        "classes/c": ["nombre": s("Box"), "fecha": t("9999-12-31T06:00:00Z"), "horaInicio": s("07:00")],
        "classBookings/b": ["classId": s("c"), "userId": s("u"), "estado": s("activa")],
        "classAttendance/a": ["classId": s("c"), "userId": s("u"), "asistio": b(true)],
      ])
      for words in [
        ["attendance", "--from", "2026-01-05", "--to", "9999-12-31"], ["attendance", "--month", "9999-12"],
        ["week", "--of", "9999-12-31"], ["bookings", "--of", "9999-12-31"],
      ] {
        let result = try await tool.bare(["classes"] + words + tool.place).expect(0)
        #expect(result.output.contains("9999-12-31\t07:00\tBox"), "\(words): \(result.output)")
      }
      let cancel = try await tool.run("classes", "cancel", "--of", "9999-12-31", "--json").expect(0)
      #expect(try cancel.summary().totals.written == 2)
    }
  }

  @Test(
    "A week says how long its classes last, and that there is none; check finds bookings of cancelled classes."
  )
  func week() async throws {
    try await withClasses { tool in
      let week = try await tool.run("classes", "week", "--of", "2026-01-06")
      #expect(
        week.output
          == "mon 2026-01-05\t07:00\tBox\t1/20\t45 min\tmon\nwed 2026-01-07\t07:00\tSpinning\t1/20\t45 min\twed\n"
      )
      let spanish = try await tool.run("classes", "week", "--of", "2026-01-06", "--lang", "es")
      #expect(spanish.output.hasPrefix("lun 2026-01-05\t") && spanish.output.contains("\nmié 2026-01-07\t"))
      for report in [["classes", "week"], ["email", "accounts"]] {
        try await tool.bare(report + ["--lang", "fr"] + tool.place).expectFailure(64, "'fr' is not en", "es")
      }
      let none = try await tool.run("classes", "week", "--of", "2027-01-06", "--header", "spanish")
      #expect(none.errors.contains("No hay clases en la semana del 2027-01-04."), "\(none.errors)")
      let empty = try await tool.run("classes", "week", "--of", "2027-01-06")
      #expect(
        empty.output.isEmpty && empty.errors.contains("No class takes place in the week of 2027-01-04.")
      )
      let check = try await tool.run("check", "--rule", "booking-of-cancelled-class")
      #expect(check.exitCode == 1 && check.output.contains("classBookings/b4"), "\(check.output)")
      #expect(!check.output.contains("classBookings/b1"))
    }
  }

  @Test("A capacity or a length that is no number is not stated as 0, and hours are sorted as times.")
  func unstatedNumbers() async throws {
    try await withTool { tool in
      let day = t("2026-01-05T06:00:00Z")
      func gymClass(_ start: String, _ capacity: String?, _ minutes: String?) -> [String: String] {
        var fields = ["nombre": s("Box"), "fecha": day, "horaInicio": s(start)]
        fields["capacidadMax"] = capacity
        fields["duracionMin"] = minutes
        return fields
      }
      try await tool.load([
        "classes/a": gymClass("19:00", s("10"), nil), "classes/b": gymClass("7:00", i(0), s("45")),
        "classBookings/1": ["classId": s("a"), "userId": s("u"), "estado": s("activa")],
      ])
      let week = try await tool.run("classes", "week", "--of", "2026-01-06")
      #expect(
        week.output == "mon 2026-01-05\t7:00\tBox\t0/0\t-\tb\nmon 2026-01-05\t19:00\tBox\t1/-\t-\ta\n"
      )
      let json = try await tool.run("classes", "week", "--of", "2026-01-06", "--json")
      #expect(
        json.output.contains(#""capacity":null"#) && json.output.contains(#""minutes":null"#),
        "\(json.output)"
      )
      try await tool.run("classes", "week", "--of", "2026-01-06", "-o", "week.csv").expect(0)
      #expect(try tool.text("week.csv").contains("19:00,Box,1,,"))
    }
  }

  @Test("Days of the week have English and Spanish names.")
  func days() async throws {
    try await withTool { tool in
      for days in ["mon,wed", "lun,mié", "Lunes,miercoles", "monday,MIÉRCOLES"] {
        let result = try await tool.bare(
          [
            "classes", "generate", "--nombre", "Box", "--days", days, "--from", "2026-01-05", "--to",
            "2026-01-11",
            "--start", "07:00", "--minutes", "60", "--capacity", "20", "-n",
          ] + tool.place
        ).expect(0)
        #expect(result.output.contains("mon  .  wed"), "\(days): \(result.output)")
      }
    }
  }
}
