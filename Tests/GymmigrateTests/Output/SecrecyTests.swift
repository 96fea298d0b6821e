import Foundation
import TestSupport
import Testing

@Suite("Secrets that come back are not told", .timeLimit(.minutes(60)))
struct SecrecyTests {
  /// All that a tool has said and kept.
  private func told(_ tool: Tool, _ results: RunResult...) throws -> String {
    var all = results.map { $0.output + $0.errors }.joined()
    for run in tool.runs() {
      for name in tool.names(in: run) { all += try tool.text("\(run)/\(name)") }
    }
    return all
  }

  private static let token = "ya29.A0/bC+dE=fG_hI-jK~lMnOpQrStUvWxYz0123456789"

  /// The token as servers send it back.
  static let echoes: [@Sendable (String) -> String] = [
    { $0 },
    {
      $0.replacing("/", with: "%2F").replacing("+", with: "%2B").replacing("=", with: "%3D").replacing(
        "~",
        with: "%7E"
      )
    },
    { $0.replacing("/", with: "%2f").replacing("+", with: "%2b").replacing("=", with: "%3d") },
    { "https://login.example/?next=/v1&access_token=\($0)" },
    { String($0.prefix(24)) + "…" },
    // A JSON text within the message, which the outputs in JSON escape once more.
    { "{\"token\":\"\($0.replacing("/", with: "\\/"))\"}" },
    { "{\"token\":\"\($0.replacing("=", with: "\\u003d"))\"}" },
    { "{\"token\":\"\($0.utf8.map { String(format: "\\u%04x", Int($0)) }.joined())\"}" },
    { "{\"error\":\"{\\\"token\\\":\\\"\($0.replacing("/", with: "\\\\/"))\\\"}\"}" },
  ]

  /// The text without the escapes of JSON at any depth.
  private func unescaped(_ text: String) -> String {
    text.replacing(#/\\+u00([0-9A-Fa-f]{2})/#) { match in
      Int(match.1, radix: 16).flatMap(Unicode.Scalar.init).map(String.init) ?? ""
    }.replacing("\\", with: "")
  }

  @Test("A server that sends the Authorization header back", arguments: echoes.indices)
  func echo(_ index: Int) async throws {
    let echo = Self.echoes[index]
    try await withTool(
      against: { request in
        let sent = request.header("Authorization") ?? ""
        let back = "Bearer " + echo(String(sent.dropFirst("Bearer ".count)))
        let error = [
          "error": ["code": 403, "status": "PERMISSION_DENIED", "message": "I do not know \(back)."]
            as [String: Any]
        ]
        return .respond(403, body: (try? JSONSerialization.data(withJSONObject: error)).map(Array.init) ?? [])
      }
    ) { tool, server in
      try tool.write(Self.token + "\n", to: "token")
      var tool = tool
      tool.place += ["--access-token-file", "token", "--retry-for", "1"]
      let results = [
        try await tool.run("export", "users", "-o", "u.jsonl", "--json", "-vv"),
        try await tool.run("export", "users", "-o", "u.jsonl", "--log-format", "json", "-vv"),
        try await tool.run("doctor"), try await tool.run("doctor", "--json"),
        try await tool.bare(["runs", "show", "last"]),
        try await tool.bare(["runs", "show", "last", "--json"]),
        try await tool.bare(["runs", "list", "--json"]),
      ]
      results[0].expect(77)
      #expect(server.requests.contains { $0.header("Authorization") == "Bearer \(Self.token)" })
      let all = try unescaped(results.map { try told(tool, $0) }.joined())
      #expect(all.contains("I do not know"), "it is told what the server said")
      for part in [Self.token.prefix(20), Self.token.dropFirst(22).prefix(20)] {
        #expect(!all.contains(part), "\(all)")
      }
      #expect(!all.contains("ya29.A0"), "\(all)")
    }
  }

  @Test(
    "Passwords of proxies",
    arguments: [
      "http://eve:hunter2-of/eve@proxy.invalid:3128", "http://eve:hunter2-of-eve@proxy.invalid:x",
      "ftp://eve:hunter2-of-eve@proxy.invalid:3128", "http://eve:hunter2-of%2Feve@proxy.invalid:3128",
    ]
  )
  func proxy(_ url: String) async throws {
    try await withTool { tool in
      var tool = tool
      try tool.write(Self.token, to: "token")
      tool.environment = ["https_proxy": url]
      tool.place = ["--project", "p", "--access-token-file", "token", "--retry-for", "1"]
      let result = try await tool.run("export", "users", "-o", "u.jsonl", "-vv", "--json")
      #expect(result.exitCode == 69 || result.exitCode == 78, "\(result.errors)")
      let doctor = try await tool.run("doctor")
      let all = try told(tool, result, doctor)
      #expect(!all.contains("hunter2"), "\(all)")
      #expect(!all.contains(Self.token))
    }
  }

  @Test("Documents that hold the token keep it.")
  func documents() async throws {
    let mini = MiniFirestore()
    try mini.put("users/u1", fields: #"{"note":{"stringValue":"\#(Self.token)"}}"#)
    try await withTool(against: mini.handler) { tool, _ in
      try tool.write(Self.token, to: "token")
      var tool = tool
      tool.place += ["--access-token-file", "token"]
      let result = try await tool.run("export", "users", "-o", "-", "--format", "jsonl").expect(0)
      #expect(result.output.contains(Self.token.replacing("/", with: "/")))
      try await tool.run("export", "users", "-o", "u.csv").expect(0)
      #expect(try tool.text("u.csv").contains(Self.token))
    }
  }
}
