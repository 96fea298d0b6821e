import Foundation
import TestSupport
import Testing

@Suite("doctor", .timeLimit(.minutes(60)))
struct DoctorTests {
  private func httpDate(_ offset: Double) -> String {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(identifier: "GMT")
    formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
    return formatter.string(from: Date(timeIntervalSinceNow: offset))
  }

  /// A handler that returns its time at the root, and another database where one is given.
  private func handler(
    _ mini: MiniFirestore,
    offset: Double = 0,
    database: String? = nil
  ) -> RequestHandler {
    let date = httpDate(offset)
    return { request in
      if request.rawPath == "/" { return .respond(404, headers: [HTTPField("Date", date)]) }
      if let database, request.kind == .other { return .json(database) }
      return mini.handler(request)
    }
  }

  private func line(_ result: RunResult, _ name: String) -> String {
    result.output.split(separator: "\n").map(String.init).first { $0.dropFirst(9).hasPrefix("\(name):") }
      ?? ""
  }

  @Test("A healthy environment has no problem, and nothing of it is changed.")
  func healthy() async throws {
    let mini = try MiniFirestore.withSamples(["app_config", "exercises"])
    try await withTool(against: handler(mini)) { tool, server in
      var tool = tool
      try tool.write("top-secret-token\n", to: "token")
      tool.environment = ["https_proxy": "http://eve:hunter2@proxy.example:3128"]
      let result = try await tool.bare(["doctor"] + tool.place + ["--access-token-file", "token"]).expect(0)
      #expect(line(result, "database").hasPrefix("ok"))
      #expect(line(result, "database").contains("native mode, standard edition, in nam5"))
      #expect(line(result, "clock").hasPrefix("ok"))
      #expect(line(result, "credentials").contains("access token (token)"))
      #expect(line(result, "reading").contains("2 collections"))
      #expect(line(result, "writing").hasPrefix("ok"))
      #expect(line(result, "proxy").contains("http://proxy.example:3128"))
      #expect(!result.output.contains("hunter2") && !result.output.contains("top-secret"))
      #expect(mini.totalWrites == 0 && mini.snapshot().count == 21)
      #expect(server.requests(.commit).count == 1)
      // It makes no folder either.
      #expect(tool.names(in: ".") == ["token"])
    }
  }

  @Test("What it reads is said, and is among the costs; so is all that init reads.")
  func costs() async throws {
    let mini = try MiniFirestore.withSamples(["app_config", "exercises"])
    try await withTool(against: handler(mini)) { tool, server in
      try tool.write("", to: ".gymmigrate/costs.jsonl")
      let doctor = try await tool.run("doctor", "--json").expect(0)
      // A document, a page of the collections, and a count of each one.
      #expect(try doctor.billedReads() == 4)
      #expect(doctor.errorLines.contains { $0.hasPrefix("Billed: 4 reads") }, "\(doctor.errors)")
      let costs = try tool.text(".gymmigrate/costs.jsonl")
      #expect(costs.contains(#""command":"doctor""#) && costs.contains(#""reads":4"#), "\(costs)")
      let place = ["--project", "test-project", "--name", "shop", "--endpoint", server.url]
      let begun = try await tool.bare(["init"] + place).expect(0)
      #expect(begun.lastLine.hasPrefix("Billed: "), "\(begun.errors)")
    }
  }

  @Test(
    "The price of a database of the Enterprise edition is that of a unit each, unless the configuration has one."
  )
  func enterprise() async throws {
    var options = MiniFirestore.Options()
    options.edition = "ENTERPRISE"
    try await withMini(.withSamples(["users"], options)) { tool, _ in
      let size = line(try await tool.run("doctor"), "size")
      #expect(size.contains("from 0.01 USD (list prices of the Enterprise edition"), "\(size)")
      let plan = try await tool.run("migrate", "plan", "is-active")
      #expect(plan.output.contains("from 0.01 USD (list prices of the Enterprise edition"))
      let cost = try await tool.run("migrate", "plan", "is-active", "--json").summary().cost
      #expect((cost?.usd).map { $0 > 0 } == true && (cost?.reads ?? 0) > 100)
      let shard = ["shard", "plan", "--shards", "1", "--to", "W", "--", "migrate", "plan", "is-active"]
      try await tool.bare(shard + tool.place).expect(0)
      try await tool.bare(["shard", "work", "W", "--task", "0", "--tasks", "1"]).expect(0)
      let divided = try await tool.bare(["shard", "finish", "W", "--json"]).summary().cost
      #expect((divided?.usd).map { $0 > 0 } == true && (divided?.reads ?? 0) > 100)
      try tool.write(
        "prices: { reads: 1, writes: 1, deletes: 1 }\nenvironments:\n  a: { project: p }\n",
        to: "gymmigrate.yaml"
      )
      #expect(try await tool.run("migrate", "plan", "is-active").output.contains("USD"))
    }
  }

  @Test("The embedded store is healthy, too.")
  func local() async throws {
    try await withTool { tool in
      // It is not made by being looked at.
      try await tool.run("doctor").expect(0)
      #expect(tool.names(in: ".") == [])
      try await tool.run("count", "users").expect(0)
      let result = try await tool.run("doctor", "--json").expect(0)
      let json = try JSONSerialization.jsonObject(with: Data(result.standardOutput)) as? [String: Any]
      #expect(json?["exitCode"] as? Int == 0)
      let checks = try #require(json?["checks"] as? [[String: String]])
      #expect(checks.contains { $0["name"] == "writing" && $0["state"] == "ok" })
      #expect(!checks.contains { $0["state"] == "problem" })
    }
  }

  @Test("Each trouble has its line, what to do, and its exit code.")
  func troubles() async throws {
    let mini = try MiniFirestore.withSamples(["app_config"])
    func expect(
      _ code: Int32,
      _ name: String,
      _ text: String,
      _ handler: @escaping RequestHandler,
      state: String = "problem",
      more: [String] = [],
      environment: [String: String] = [:],
      patience: Int = 60,
      at location: SourceLocation = #_sourceLocation
    ) async throws {
      try await withTool(against: handler) { tool, _ in
        var tool = tool
        tool.environment = environment
        let result = try await tool.bare(["doctor", "--retry-for", String(patience)] + tool.place + more)
        result.expect(code, location)
        let found = line(result, name)
        #expect(found.hasPrefix(state), "\(result.output)", sourceLocation: location)
        #expect(found.contains(text), "\(result.output)", sourceLocation: location)
      }
    }
    try await expect(78, "clock", "behind the service", handler(mini, offset: 4000))
    try await expect(0, "clock", "ahead of the service", handler(mini, offset: -200), state: "warning")
    try await expect(78, "database", "DATASTORE_MODE", handler(mini, database: #"{"type":"DATASTORE_MODE"}"#))
    try await expect(
      0,
      "recovery",
      "an hour",
      handler(
        mini,
        database:
          #"{"type":"FIRESTORE_NATIVE","pointInTimeRecoveryEnablement":"POINT_IN_TIME_RECOVERY_DISABLED"}"#
      ),
      state: "warning"
    )
    let inner = handler(mini)
    try await expect(
      0,
      "writing",
      "roles/datastore.user",
      { request in
        request.kind == .commit
          ? .response(ServiceError.permissionDenied.response(for: request.kind)) : inner(request)
      },
      state: "warning"
    )
    try await expect(
      77,
      "reading",
      "roles/datastore.viewer",
      { request in
        request.kind == .batchGet
          ? .response(ServiceError.permissionDenied.response(for: request.kind)) : inner(request)
      }
    )
    try await expect(69, "reading", "502", { _ in .html(502) }, patience: 2)
    try await expect(78, "credentials", "nowhere.json", inner, more: ["--credentials", "nowhere.json"])
    try await expect(
      78,
      "certificates",
      "CURL_CA_BUNDLE",
      inner,
      environment: ["CURL_CA_BUNDLE": "nowhere.pem"]
    )
    try await expect(73, "state", "GYMMIGRATE_STATE_DIR", inner, more: ["--state-dir", "no/such/place"])
    try await expect(
      0,
      "settings",
      "GYMMIGRATE_CONFIRM, GYMMIGRATE_PAGESIZE",
      inner,
      state: "warning",
      environment: ["GYMMIGRATE_CONFIRM": "prod", "GYMMIGRATE_PAGESIZE": "3"]
    )
  }

  @Test("An environment that cannot be used is a problem, and nothing is sent.")
  func unusable() async throws {
    try await withTool { tool in
      var tool = tool
      tool.environment = ["FIRESTORE_EMULATOR_HOST": "127.0.0.1:1"]
      let result = try await tool.bare(["doctor", "-e", "prod"]).expect(77)
      #expect(line(result, "environment").contains("protected"))
      #expect(line(result, "emulator").hasPrefix("warning"))
      tool.environment = ["GYMMIGRATE_ENV": "nowhere"]
      let unknown = try await tool.bare(["doctor"]).expect(78)
      #expect(line(unknown, "environment").contains("GYMMIGRATE_ENV"))
    }
  }
}
