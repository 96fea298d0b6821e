import Foundation
import Platform
import TestSupport
import Testing

@Suite("Who reaches the embedded store", .timeLimit(.minutes(60)))
struct StoreAccessTests {
  /// Starts the import of standard input into `-e local`, and tries its port meanwhile; then ends the import.
  ///
  /// Arguments: the program, and a user id to try as (-1: one's own). Prints the code that each request is answered
  /// with.
  private static let intruder = #"""
    import http.client, json, os, re, subprocess, sys
    program, user = sys.argv[1], int(sys.argv[2])
    seed = '{"name":"users/u1","fields":{"n":{"integerValue":"1"}}}\n'
    with open("seed.jsonl", "w") as file: file.write(seed)
    subprocess.run([program, "import", "seed.jsonl", "-e", "local", "-q"], check=True)
    child = subprocess.Popen([program, "import", "-", "-e", "local", "--mode", "upsert"],
        stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    for line in child.stderr:
        found = re.search(r"http://127\.0\.0\.1:(\d+)", line)
        if found: break
    port = int(found[1])
    documents = "/v1/projects/sajarubox/databases/local/documents"
    def ask(method, path, body=None, **headers):
        connection = http.client.HTTPConnection("127.0.0.1", port)
        connection.request(method, path, body, {k.replace("_", "-"): v for k, v in headers.items()})
        answer = connection.getresponse()
        return answer.status, answer.read().decode()
    def intrude():
        results = [
            ask("GET", documents + "/users"),
            ask("GET", documents + "/users", Authorization="Bearer owner"),
            ask("GET", documents + "/users", Authorization="Bearer " + "A" * 43),
            ask("DELETE", "/emulator" + documents, Authorization="Bearer owner"),
            ask("POST", documents + ":commit", json.dumps({"writes": [{"delete": documents[4:] + "/users/u1"}]}),
                Authorization="Bearer owner", Content_Type="application/json"),
        ]
        for status, text in results:
            print(status, "integerValue" in text, flush=True)
    # Another user may not be able to load what Python loads with its first request.
    import encodings.idna
    ask("GET", "/")
    if user < 0:
        intrude()
    else:
        pid = os.fork()
        if pid == 0:
            os.setgroups([]); os.setgid(user); os.setuid(user)
            intrude()
            os._exit(0)
        os.waitpid(pid, 0)
    child.stdin.write(seed.replace('"1"', '"2"'))
    child.stdin.close()
    rest = child.stderr.read()
    print("import", child.wait())
    """#

  private func expectKeptOut(as user: Int) async throws {
    try await withTool { tool in
      let result = try await Gate.shared.pass {
        try await Judge.python(["-c", Self.intruder, tool.runner.executable, "\(user)"], in: tool.folder)
      }
      result.expect(0)
      #expect(result.output == String(repeating: "401 False\n", count: 5) + "import 0\n")
      let found = try await tool.run("export", "users", "-o", "-", "--format", "jsonl", "-q")
      #expect(found.output.contains(#""integerValue":"2""#))
    }
  }

  @Test("The store of -e local admits no other process of this user.")
  func otherProcess() async throws { try await expectKeptOut(as: -1) }

  @Test(
    "The store of -e local admits no other user of this machine.",
    .enabled(if: geteuid() == 0, "SKIPPED: only root can try it as another user.")
  )
  func otherUser() async throws { try await expectKeptOut(as: 65534) }

  // MARK: serve

  /// Runs `serve` with these options beside, at the address that is given.
  private func withServe(
    _ tool: Tool,
    _ options: [String],
    _ body: (String) async throws -> Void
  ) async throws {
    let server = try tool.startBare(["serve", "--memory", "--port", "0"] + options, timeout: .seconds(3600))
    defer { server.send(SIGKILL) }
    let isUp = await server.waitForText("FIRESTORE_EMULATOR_HOST=", on: .errors)
    try #require(isUp, "\(server.text(.errors))")
    _ = await server.waitForText("\n", on: .errors)
    let line = try #require(
      server.text(.errors).split(separator: "\n").first { $0.hasPrefix("FIRESTORE_EMULATOR_HOST=") }
    )
    try await body(String(line.dropFirst("FIRESTORE_EMULATOR_HOST=".count)))
  }

  @Test("serve --token-file admits those who have the token, and nobody who signs as the emulator's owner.")
  func tokenFile() async throws {
    try await withTool { tool in
      let file = try tool.write("  a-token-of-the-tests\n", to: "token")
      try tool.write("another-token-of-the-tests", to: "other")
      for name in ["token", "other"] { chmod(tool.path(name), 0o600) }
      try await withServe(tool, ["--token-file", file]) { address in
        var tool = tool
        tool.place = ["--project", "p", "--endpoint", "http://\(address)"]
        let lines = try tool.write(documentLine("c/d", 1) + "\n", to: "lines.jsonl")
        try await tool.run("import", lines, "--access-token-file", "token").expect(0)
        let count = try await tool.run("count", "c", "--access-token-file", "token")
        #expect(count.output == "c\t1\n")
        try await tool.run("count", "c", "--access-token-file", "other").expectFailure(78, "UNAUTHENTICATED")
        try await tool.run("count", "c").expectFailure(78, "UNAUTHENTICATED")
        tool.environment = ["FIRESTORE_EMULATOR_HOST": address]
        try await tool.bare(["count", "c", "--project", "p"]).expectFailure(78, "UNAUTHENTICATED")
        #expect(!count.errors.contains("a-token-of-the-tests"))
      }
    }
  }

  @Test("Without a token, serve admits those who sign as the emulator's owner.")
  func owner() async throws {
    try await withStore { tool, url in
      var tool = tool
      tool.environment = ["FIRESTORE_EMULATOR_HOST": String(url.dropFirst("http://".count))]
      let count = try await tool.bare(["count", "c", "--project", "p"])
      #expect(count.output == "c\t0\n")
    }
  }

  @Test(
    "A file of a token that others may read, or that holds none, is refused before anything is served.",
    arguments: [
      (0o644, "a-token-of-the-tests", "chmod 600"), (0o620, "a-token-of-the-tests", "chmod 600"),
      (0o604, "a-token-of-the-tests", "chmod 600"), (0o600, " \n", "exactly one token"),
      (0o600, "two tokens", "exactly one token"), (0o600, "t\u{E9}", "exactly one token"),
      (0o600, String(repeating: "x", count: 5000), "exactly one token"),
    ] as [(mode_t, String, String)]
  )
  func badTokenFile(mode: mode_t, text: String, complaint: String) async throws {
    try await withTool { tool in
      let file = try tool.write(text, to: "token")
      chmod(file, mode)
      let result = try await tool.bare(["serve", "--port", "0", "--token-file", file])
      result.expectFailure(78, file, complaint)
      #expect(!result.errors.contains("Serving") && !tool.exists(".gymmigrate"))
      try await tool.bare(["serve", "--port", "0", "--token-file", "missing"]).expectFailure(78, "missing")
    }
  }

  @Test("--host takes names without a port.", arguments: ["a b", "store:80", "http://store", "", "[::1"])
  func badHost(name: String) async throws {
    try await withTool { tool in
      let result = try await tool.bare(["serve", "--port", "0", "--host", name]).expect(64)
      #expect(result.errors.contains("--host"))
    }
  }

  @Test(
    "A web page of another origin can neither read nor change what serve has.",
    .enabled(if: Browser.isThere, "SKIPPED: there is no Chromium to be the page's browser.")
  )
  func webPage() async throws {
    try await withTool { tool in
      try await withServe(tool, ["--host", "store.example"]) { address in
        let port = address.split(separator: ":")[1]
        // Each request is sent while the page waits for it. Those of text/plain ask no leave of the server.
        let script = """
          function ask(method, url, type, body) {
            const request = new XMLHttpRequest();
            try {
              request.open(method, url, false);
              if (type) request.setRequestHeader("Content-Type", type);
              request.send(body);
              return request.status;
            } catch (error) { return "refused"; }
          }
          const name = "projects/p/databases/(default)/documents";
          const body = id => JSON.stringify({writes: [{update: {name: name + "/c/" + id, fields: {}}}]});
          const results = [];
          for (const host of ["127.0.0.1", "localhost", "store.example", "evil.example"]) {
            const root = "http://" + host + ":\(port)/v1/" + name;
            results.push(ask("POST", root + ":commit", "text/plain", body("a")));
            results.push(ask("POST", root + ":commit", "application/json", body("b")));
            results.push(ask("POST", root + "/c?documentId=d", "", ""));
            results.push(ask("GET", root + "/c"));
            results.push(ask("DELETE", "http://" + host + ":\(port)/emulator/v1/" + name));
          }
          document.title = "asked " + results.length + ", let in " + results.filter(r => r !== "refused").length;
          """
        let page = Reaction.respond(
          headers: [HTTPField("Content-Type", "text/html; charset=UTF-8")],
          body: Array("<!DOCTYPE html><title>none</title><script>\(script)</script>".utf8)
        )
        var tool = tool
        tool.place = ["--project", "p", "--endpoint", "http://\(address)"]
        let lines = try tool.write(documentLine("c/there", 1) + "\n", to: "lines.jsonl")
        try await tool.run("import", lines).expect(0)
        try await HTTPTestServer.withServer({ _ in page }) { pages in
          let dom = try await Browser.page(
            at: pages.url,
            options: ["--host-resolver-rules=MAP *.example 127.0.0.1"],
            in: tool.folder
          ).dom
          #expect(dom.contains("<title>asked 20, let in 0</title>"), "\(dom)")
        }
        let found = try await tool.run("export", "c", "-o", "-", "--format", "jsonl", "-q")
        #expect(found.output == documentLine("c/there", 1) + "\n", "\(found.output)")
      }
    }
  }
}
