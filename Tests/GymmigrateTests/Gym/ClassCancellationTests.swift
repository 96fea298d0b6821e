import Foundation
import TestSupport
import Testing

@Suite("Cancelling classes with their bookings")
struct ClassCancellationTests {
  private static func course(
    _ day: String,
    series: String? = nil,
    isActive: Bool = true
  ) -> [String: String] {
    var fields = [
      "nombre": s("Yoga"), "fecha": #"{"timestampValue":"\#(day)T06:00:00Z"}"#, "horaInicio": s("07:00"),
      "isActive": #"{"booleanValue":\#(isActive)}"#, "capacidadMax": i(9), "gymId": s("sajarubox"),
    ]
    fields["recurrenceGroupId"] = series.map { s($0) }
    return fields
  }

  private static func booking(_ id: String, _ status: String) -> [String: String] {
    ["classId": s(id), "userId": s("u-\(status)"), "gymId": s("sajarubox"), "estado": s(status)]
  }

  /// Each class has an active and a cancelled booking.
  private static let gym: Documents = {
    var gym: Documents = [
      "classes/a": course("2099-03-02", series: "weekly"), "classes/b": course("2099-03-02"),
      "classes/c": course("2099-03-09", series: "weekly"), "classes/d": course("2099-03-16", isActive: false),
      "classes/old": course("2020-03-02", series: "weekly"),
    ]
    for id in ["a", "b", "c", "d", "old"] {
      gym["classBookings/\(id)1"] = booking(id, "activa")
      gym["classBookings/\(id)2"] = booking(id, "cancelada")
    }
    return gym
  }()

  private func state(_ tool: Tool) async throws -> (cancelled: [String], active: [String]) {
    let documents = try await tool.documents()
    func paths(_ field: String, _ value: NSDictionary) -> [String] {
      documents.filter { ($0.value[field] as? NSDictionary) == value }.keys.sorted()
    }
    return (paths("isActive", ["booleanValue": false]), paths("estado", ["stringValue": "activa"]))
  }

  @Test("Where there is no class on a day, that is said.")
  func none() async throws {
    try await withStore { tool, _ in
      let result = try await tool.bare(["classes", "cancel", "--of", "2099-04-01", "-n"] + tool.place)
      result.expect(0)
      #expect(result.errors.contains("There is no such class."))
    }
  }

  @Test(
    "A class, the classes of a day, and those of a series from today on, with what is booked of them; and back",
    arguments: [
      (["a"], ["a", "d"], ["b", "c", "d", "old"]), (["d"], ["d"], ["a", "b", "c", "old"]),
      (["--of", "2099-03-02"], ["a", "b", "d"], ["c", "d", "old"]),
      (["--series", "weekly"], ["a", "c", "d"], ["b", "d", "old"]),
    ]
  )
  func cancels(_ which: [String], cancelled: [String], active: [String]) async throws {
    try await withTool { tool in
      try await tool.load(Self.gym)
      let before = try await tool.documents()
      try await tool.bare(["classes", "cancel"] + which + ["-n"] + tool.place).expect(0)
      let unchanged = try await state(tool)
      #expect(unchanged.cancelled == ["classes/d"] && unchanged.active.count == 5)
      try await tool.bare(["classes", "cancel"] + which + tool.place).expect(0)
      let after = try await state(tool)
      #expect(after.cancelled == cancelled.map { "classes/\($0)" })
      #expect(after.active == active.map { "classBookings/\($0)1" })
      let again = try await tool.bare(["classes", "cancel"] + which + ["--json"] + tool.place)
      #expect(try again.summary().totals.written == 0)
      try await tool.run("runs", "undo", "last").expect(0)
      let undone = try await state(tool)
      #expect(undone.cancelled == ["classes/d"] && undone.active.count == 5)
      #expect(try await tool.documents().count == before.count)
    }
  }

  @Test("A class that is left alone keeps its bookings, which are not listed either")
  func leftAlone() async throws {
    try await withTool { tool in
      var gym = Self.gym
      gym["classes/b"]?["isActive"] = s("no")
      gym["classes/b"]?["recurrenceGroupId"] = s("weekly")
      try await tool.load(gym)
      let check = try await tool.run("check", "--rule", "booking-of-cancelled-class")
      #expect(check.output.contains("classBookings/d1") && !check.output.contains("classBookings/b1"))
      let series = try await tool.run("classes", "cancel-series", "weekly", "--from", "2020-01-01", "-n")
      series.expect(2)
      #expect(series.output.contains("classBookings/a1") && !series.output.contains("classBookings/b1"))
      try await tool.run("classes", "cancel", "--of", "2099-03-02").expect(2)
      let after = try await state(tool)
      #expect(after.cancelled == ["classes/a", "classes/d"])
      #expect(after.active == ["b", "c", "d", "old"].map { "classBookings/\($0)1" })
    }
  }

  @Test(
    "Of a series it says what is before the first day, and a day reaches that; what is booked of it, too."
  )
  func spared() async throws {
    try await withTool { tool in
      try await tool.load(Self.gym)
      let first = try await tool.run("classes", "cancel", "--series", "weekly", "-n").expect(0)
      #expect(first.errors.contains("1 class of the series before "), "\(first.errors)")
      let series = try await tool.run("classes", "cancel-series", "weekly", "--from", "2099-03-09").expect(0)
      #expect(
        series.errors.contains("2 classes of the series before 2099-03-09 are left"),
        "\(series.errors)"
      )
      let all = try await tool.run("classes", "cancel", "--series", "weekly", "--from", "2020-01-01")
      all.expect(0)
      #expect(!all.errors.contains("of the series before"), "\(all.errors)")
      let after = try await state(tool)
      #expect(after.cancelled == ["a", "c", "d", "old"].map { "classes/\($0)" })
      #expect(after.active == ["b", "d"].map { "classBookings/\($0)1" })
      try await tool.run("classes", "cancel", "a", "--from", "2020-01-01").expectFailure(64, "--series")
    }
  }

  @Test(
    "Classes of a series that are on no day are left and named, with what is booked of them.",
    arguments: [["cancel", "--series", "weekly"], ["cancel-series", "weekly"]]
  )
  func undated(_ command: [String]) async throws {
    try await withTool { tool in
      var gym = Self.gym
      for (id, day) in ["b": s("2099-03-02"), "d": nil] {
        gym["classes/\(id)"]?["recurrenceGroupId"] = s("weekly")
        gym["classes/\(id)"]?["fecha"] = day
      }
      try await tool.load(gym)
      let cancel = ["classes"] + command + ["--from", "2099-03-09"]
      for more in [["-n"], []] {
        let run = try await tool.bare(cancel + more + tool.place).expect(0)
        #expect(run.errors.contains("2 classes of the series without a time in fecha left"), "\(run.errors)")
        #expect(run.errors.contains("with 2 active bookings: classes/b, classes/d."), "\(run.errors)")
      }
      let after = try await state(tool)
      #expect(after.cancelled == ["classes/c", "classes/d"] && after.active.contains("classBookings/b1"))
      let json = try await tool.bare(cancel + ["-n", "--json"] + tool.place).expect(0)
      let summary = try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any]
      let left = try #require(summary?["left"] as? [String: Any])
      #expect(left["before"] as? Int == 2 && left["activeBookings"] as? Int == 2)
      #expect(left["undated"] as? [String] == ["classes/b", "classes/d"])
    }
  }

  @Test("What is not there is said, and two ways to say which are a mistake.")
  func mistakes() async throws {
    try await withTool { tool in
      try await tool.load(Self.gym)
      try await tool.run("classes", "cancel", "none").expectFailure(66, "classes/none")
      try await tool.run("classes", "cancel", "--series", "none").expectFailure(66, "none")
      try await tool.run("classes", "cancel", "a", "--of", "2099-03-02").expect(64)
      try await tool.run("classes", "cancel").expect(64)
      #expect(try await state(tool).active.count == 5)
    }
  }
}
