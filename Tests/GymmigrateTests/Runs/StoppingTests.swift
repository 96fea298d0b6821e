import Foundation
import Platform
import TestSupport
import Testing

@Suite("INT, TERM and HUP end what waits for others", .timeLimit(.minutes(60)))
struct StoppingTests {
  static let signals = [SIGINT, SIGTERM, SIGHUP]

  /// Starts a script of the shell; `$TOOL` is the program, and the descriptor 9 a pipe that nobody writes to or reads.
  private func start(_ script: String, in tool: Tool) throws -> RunningBinary {
    try BinaryRunner(executable: "/bin/sh").start(
      ["-c", "[ -p pipe ] || mkfifo pipe; exec 9<>pipe; \(script)"],
      environment: ["TOOL": tool.runner.executable],
      directory: tool.folder,
      // Long enough for any machine, and what does not end by a signal is found out by it.
      timeout: .seconds(120)
    )
  }

  /// What reads from a pipe that nobody writes to.
  enum Reading: String, CaseIterable {
    case lines = "import - -e local <&9"
    case table = "import - --format csv --collection users -e local <&9"
    case fifo = "import pipe --format jsonl -e local"
    case tableOfFIFO = "import pipe --format csv --collection users -e local"
    case typed = "import pipe --collection users -e local"
  }

  @Test(
    "An import that waits for its input ends, and the last line is the command that resumes.",
    arguments: Reading.allCases,
    signals
  )
  func reading(_ reading: Reading, _ signal: Int32) async throws {
    try await withTool { tool in
      let running = try start("exec \"$TOOL\" \(reading.rawValue) --json", in: tool)
      try #require(await running.waitForText("Writing to local", on: .errors), "\(running.text(.errors))")
      running.send(signal)
      // The shell and the terminal of a session that ends both send it.
      if signal == SIGHUP { running.send(signal) }
      let result = await running.wait()
      result.expect(128 + signal)
      let summary = try result.summary()
      #expect(summary.status == "interrupted" && summary.exitCode == 128 + signal)
      #expect(result.lastLine == "To resume: \(summary.resumeCommand ?? "?")")
      #expect(summary.resumeCommand?.hasPrefix("gymmigrate ") == true)
      #expect(tool.names(in: tool.runs()[0]).allSatisfy { !$0.hasPrefix("standard-input") })
    }
  }

  @Test(
    "Reading the configuration, a token or a credential ends, too.",
    arguments: [
      "count users --config pipe -e x",
      "count users --project p --endpoint http://127.0.0.1:9 --access-token-file pipe",
      "count users --project p --credentials pipe",
    ]
  )
  func settings(_ arguments: String) async throws {
    try await withTool { tool in
      let running = try start("echo ready >&2; exec \"$TOOL\" \(arguments)", in: tool)
      #expect(await running.waitForText("ready", on: .errors))
      // The shell is still itself for a moment, and would end by the signal.
      while try String(contentsOfFile: "/proc/\(running.processIdentifier)/comm", encoding: .utf8)
        != "gymmigrate\n"
      {
        await Task.yield()
      }
      while try !Self.isWatching(running) { await Task.yield() }
      running.send(SIGTERM)
      let result = await running.wait()
      result.expect(143)
      #expect(result.signal == nil)
    }
  }

  @Test(
    "What comes through a pipe is imported once and whole, and leaves nothing behind.",
    arguments: ["jsonl", "csv"]
  )
  func pipes(_ format: String) async throws {
    try await withTool { tool in
      try tool.write(try Samples.first(20, of: "users"), to: "users.jsonl")
      try await tool.run("import", "users.jsonl", "-q").expect(0)
      try await tool.run("export", "users", "-o", "in.\(format)", "-q").expect(0)
      try #require(mkfifo(tool.path("in"), 0o600) == 0)
      let command =
        "cat in.\(format) > in & \"$TOOL\" import in --format \(format) --collection copies -e local; echo \"code $?\""
      let result = await (try start(command, in: tool)).wait()
      #expect(result.output == "code 0\n", "\(result.errors)")
      let count = try await tool.run("count", "copies")
      #expect(count.output == "copies\t20\n")
      #expect(!tool.names(in: tool.runs()[2]).contains { $0.hasPrefix("input") })
    }
  }

  /// Whether a process catches TERM by now.
  private static func isWatching(_ running: RunningBinary) throws -> Bool {
    let status = try String(contentsOfFile: "/proc/\(running.processIdentifier)/status", encoding: .utf8)
    let line = status.split(separator: "\n").first { $0.hasPrefix("SigCgt:") } ?? ""
    let mask = UInt64(line.split(separator: "\t").last ?? "", radix: 16) ?? 0
    return mask & (1 << UInt64(SIGTERM - 1)) != 0
  }

  /// What writes to a pipe that nobody reads.
  enum Writing: String, CaseIterable {
    case output = "export users -e local -o - --format jsonl >&9"
    case fifo = "export users -e local -o pipe --format jsonl"
  }

  @Test("An export that nobody takes ends.", arguments: Writing.allCases, signals)
  func writing(_ writing: Writing, _ signal: Int32) async throws {
    try await withTool { tool in
      try await tool.run("import", Samples.file("users"), "-q").expect(0)
      let running = try start("echo ready >&2; exec \"$TOOL\" \(writing.rawValue)", in: tool)
      #expect(await running.waitForText("ready", on: .errors))
      let pipe = open(tool.path("pipe"), O_RDWR)
      defer { close(pipe) }
      // It holds 64 KiB, of the 300 that are to be written.
      var held: Int32 = 0
      while held < 49_152 {
        _ = ioctl(pipe, UInt(FIONREAD), &held)
        await Task.yield()
      }
      running.send(signal)
      let result = await running.wait()
      result.expect(128 + signal)
      #expect(result.lastLine.hasPrefix("To resume: gymmigrate export users"), "\(result.errors)")
    }
  }

  @Test("An export to a FIFO that nobody opens ends.")
  func unopened() async throws {
    try await withTool { tool in
      try await tool.run("import", Samples.file("users"), "-q").expect(0)
      try #require(mkfifo(tool.path("out"), 0o600) == 0)
      let running = try tool.start(
        "export",
        "users",
        "-o",
        "out",
        "--format",
        "jsonl",
        timeout: .seconds(120)
      )
      while try !Self.isWatching(running) { await Task.yield() }
      running.send(SIGTERM)
      await running.wait().expect(143)
    }
  }

  @Test("After HUP nothing is left of a file that was being written.")
  func hangUp() async throws {
    let mini = try MiniFirestore.withSamples(["users"])
    let running = Later<RunningBinary>()
    let pages = Guard(0)
    try await withTool(
      against: { request in
        if request.method == "GET", pages.next() > 2 {
          running.get()?.send(SIGHUP)
          return .stall
        }
        return mini.handler(request)
      }
    ) { tool, _ in
      let process = try tool.start(
        "export",
        "users",
        "-o",
        "users.csv",
        "--page-size",
        "50",
        timeout: .seconds(120)
      )
      running.set(process)
      let result = await process.wait()
      result.expect(129)
      #expect(result.lastLine.hasPrefix("To resume: gymmigrate export users"), "\(result.errors)")
      #expect(tool.names(in: ".").allSatisfy { $0 == ".gymmigrate" }, "\(tool.names(in: "."))")
    }
  }

  /// Counts from any thread.
  private final class Guard: @unchecked Sendable {
    private let lock = NSLock()
    private var count: Int
    init(_ count: Int) { self.count = count }
    func next() -> Int {
      lock.withLock {
        count += 1
        return count
      }
    }
  }

  @Test("Under nohup, HUP stays ignored.")
  func ignored() async throws {
    try await withTool { tool in
      let running = try start("trap '' HUP; exec \"$TOOL\" import - -e local <&9", in: tool)
      try #require(await running.waitForText("Writing to local", on: .errors))
      running.send(SIGHUP)
      // Of two that wait, the lower number comes first.
      running.send(SIGTERM)
      await running.wait().expect(143)
    }
  }

  @Test("A question that waits for an answer ends, and nothing was done.")
  func question() async throws {
    try await withStores { tool in
      let script = """
        import os, pty, sys
        child, terminal = pty.fork()
        if child == 0:
            os.execv(sys.argv[1], sys.argv[1:])
        shown = b""
        while True:
            try:
                data = os.read(terminal, 65536)
            except OSError:
                break
            if not data:
                break
            if b"Type its name" in data:
                os.write(terminal, b"\\x03")
            shown += data
        sys.stdout.buffer.write(shown)
        sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        """
      let result = try await BinaryRunner(executable: "/usr/bin/env").run(
        [
          "python3", "-c", script, tool.runner.executable, "fix", "users", "--all-documents", "--set", "n=1",
          "-e", "prod",
        ],
        directory: tool.folder,
        timeout: .seconds(120)
      )
      result.expect(130)
      #expect(tool.runs().isEmpty)
    }
  }

  // MARK: Standard descriptors

  /// A command whose reader has ended before it writes, whether SIGPIPE is ignored, and what it ends with.
  static let unread: [(String, Bool, Int32)] = [
    ("export users -e local -o - --format jsonl", false, 141),
    ("export users -e local -o - --format csv", false, 141),
    ("count users -e local", false, 141), ("count users -e local --json", false, 141),
    ("env list", false, 141),
    ("--help", false, 141), ("find cardenas -e local", false, 141),
    ("export users -e local -o - --format jsonl", true, 73), ("--help", true, 73),
    // What changed the database ends with a message.
    ("fix users --all-documents --set x=1 -e local --yes --json", false, 73),
  ]

  @Test("A command whose reader has ended ends by SIGPIPE without a word, as filters do.", arguments: unread)
  func pipe(_ command: String, _ isIgnored: Bool, _ code: Int32) async throws {
    try await withTool { tool in
      try tool.write(try Samples.first(20, of: "users"), to: "users.jsonl")
      try await tool.run("import", "users.jsonl", "-q").expect(0)
      let signal = isIgnored ? "ignore" : "default"
      let tested = "env --\(signal)-signal=PIPE \"$TOOL\" \(command) 2>errors; echo \"code $?\" >code"
      let running = try start(
        "mkfifo gate; { read _ <gate; \(tested); } | { exec <&-; echo >gate; }",
        in: tool
      )
      _ = await running.wait()
      let errors = try tool.text("errors")
      #expect(try tool.text("code") == "code \(code)\n", "\(errors)")
      #expect(errors.contains("the program that reads it has ended") == (code == 73), "\(errors)")
      if code == 141 { #expect(!errors.contains("error:") && !errors.contains("Failed"), "\(errors)") }
    }
  }

  /// A command whose result goes to standard output, and what it ends with where that is closed.
  static let closed: [(String, Int32)] = [
    ("count users -e local >&-", 73), ("count users -e local >&- 2>&-", 73),
    ("count users -e local <&- >&- 2>&-", 73),
    ("count users -e local --json >&-", 73), ("export users -e local -o - --format jsonl >&-", 73),
    ("export users -e local -o - --format csv >&- 2>&-", 73), ("find cardenas -e local >&-", 73),
    ("env list >&-", 73),
    ("migrate list >&-", 73), ("doctor -e local >&-", 73), ("--help >&-", 73), ("--version >&-", 73),
    ("check -e local >&-", 73), ("diff users --from users.jsonl --to users.jsonl --show-equal >&-", 73),
    ("count users -e local 2>&-", 0), ("count users -e local <&-", 0), ("count users -e local <&- 2>&-", 0),
    ("import users.jsonl -e local >&-", 0), ("import users.jsonl -e local <&- >&- 2>&-", 0),
    ("import - -e local <&-", 66),
  ]

  @Test(
    "With closed standard descriptors no message goes astray, and a result that is lost is 73.",
    arguments: closed
  )
  func descriptors(_ command: String, _ code: Int32) async throws {
    try await withTool { tool in
      try tool.write(try Samples.first(20, of: "users"), to: "users.jsonl")
      try await tool.run("import", "users.jsonl", "-q").expect(0)
      let running = try start("exec 9>&-; \"$TOOL\" \(command); echo \"code $?\" >> code", in: tool)
      let result = await running.wait()
      result.expect(0)
      #expect(try tool.text("code") == "code \(code)\n", "\(result.errors)")
      if code == 73, !command.contains("2>&-") {
        #expect(result.errors.contains("cannot write standard output: it is closed"), "\(result.errors)")
      }
    }
  }
}
