import Foundation
import TestSupport
import Testing

@Suite("Dated exports in trouble", .timeLimit(.minutes(60)))
struct ScheduledExportFailureTests {
  // MARK: Killed

  @Test(
    "KILL at any request: yesterday's is whole, nothing half has a name, and the next night works.",
    arguments: [RequestKind.listCollectionIds, .batchGet, .runQuery],
    [1, 3]
  )
  func killed(_ kind: RequestKind, _ number: Int) async throws {
    let mini = try MiniFirestore.withSamples(ScheduledExportFixture.few)
    let running = Later<RunningBinary>()
    let faults = mini.faults(
      FaultRule([kind], kind != .runQuery ? .number(1) : .number(number), .end(running)),
      maximumConsecutive: .max
    )
    try await withTool { tool in
      _ = try await HTTPTestServer.withServer(mini.handler) { server in
        try await tool.bare(ScheduledExportFixture.command + tool.at(server)).expect(0)
      }
      let yesterday = try tool.latestNight()
      let marks = try tool.text("nightly/.high-water-mark.json")
      try await HTTPTestServer.withServer(faults.handler) { server in
        let result = try await tool.bare(ScheduledExportFixture.command + tool.at(server), as: running)
        #expect(result.signal == SIGKILL, "\(result.errors)")
        #expect(tool.exports == [yesterday])
        try await tool.expectWhole(yesterday)
        #expect(try tool.text("nightly/.high-water-mark.json") == marks)
        faults.setOn(false)
        try await tool.bare(ScheduledExportFixture.command + tool.at(server)).expect(0)
        #expect(tool.strangers == [])
        try await tool.expectWhole(tool.scheduledExport(1))
      }
    }
  }

  /// What must outlive a night.
  private struct Before {
    /// The newest export: a night that was killed before it moved the link is whole, too.
    let newest: String
    /// The one that the link names.
    let latest: String

    init(_ tool: Tool) throws {
      newest = try #require(tool.exports.last)
      latest = try tool.latestNight()
    }
  }

  /// Expects what holds at any moment: what has the name of an export is whole, the newest one of before is still there, and
  /// the link names one that is, and never goes back.
  private func expectNothingHalf(after before: Before, _ tool: Tool, _ moment: String) async throws {
    #expect(tool.exports.contains(before.newest), "\(moment)")
    let latest = try tool.latestNight()
    #expect(tool.exports.contains(latest) && latest >= before.latest, "\(moment): \(latest)")
    for scheduledExport in tool.exports { try await tool.expectIntact(scheduledExport) }
    #expect(
      tool.strangers.allSatisfy { $0.hasPrefix(".") && $0.contains(".part") },
      "\(moment): \(tool.strangers)"
    )
  }

  @Test(
    "KILL at any moment, night after night, the removal of old ones included.",
    arguments: Settings.seeds(1)
  )
  func killedAtAnyMoment(_ seed: UInt64) async throws {
    let mini = try MiniFirestore.withSamples(ScheduledExportFixture.few)
    var random = SplitMix64(seed: seed)
    try await withTool(against: mini.handler) { tool, _ in
      let command = ScheduledExportFixture.command + ["--keep", "2"] + tool.place
      try await tool.bare(command).expect(0)
      let begin = ContinuousClock.now
      try await tool.bare(command).expect(0)
      let scheduledExport = Int((ContinuousClock.now - begin) / .milliseconds(1))
      for _ in 0..<Settings.kills(8) {
        let before = try Before(tool)
        let moment = Int.random(in: 0...scheduledExport, using: &random)
        let process = try tool.startBare(command)
        // Any moment will do, so a nap is no guess.
        try await Task.sleep(for: .milliseconds(moment))
        process.send(SIGKILL)
        _ = await process.wait()
        try await expectNothingHalf(after: before, tool, "seed \(seed), after \(moment) ms")
      }
      try await tool.bare(command).expect(0)
      #expect(tool.strangers == [])
      #expect(tool.exports.count == 2)
      try await tool.expectWhole(tool.scheduledExport(1))
    }
  }

  /// The calls by which files change.
  private static let calls = ["mkdir", "rename", "symlink", "unlink", "rmdir", "fsync", "fdatasync"]

  @Test(
    "KILL before any call that changes a file: at each rename, and at some of the others.",
    .enabled("strace kills the program at its calls (apt-get install strace)") {
      try await BinaryRunner.canRun("strace", "-f", "-o", "/dev/null", "true")
    }
  )
  func killedAtCalls() async throws {
    let mini = try MiniFirestore.withSamples(ScheduledExportFixture.few)
    let strace = try BinaryRunner(executable: "/usr/bin/env")
    try await withTool(against: mini.handler) { tool, _ in
      func scheduledExport(_ options: [String]) async throws -> RunResult {
        // Nobody can trace who looks for leaks, too.
        try await strace.run(
          ["strace", "-f", "-qq"] + options + [tool.runner.executable] + ScheduledExportFixture.command + [
            "--keep", "2",
          ]
            + tool.place,
          environment: ["ASAN_OPTIONS": "detect_leaks=0"],
          directory: tool.folder,
          timeout: .seconds(1800)
        )
      }
      for _ in 0..<2 { try await tool.bare(ScheduledExportFixture.command + tool.place).expect(0) }
      let calls = Self.calls.joined(separator: ",")
      try await scheduledExport(["-o", "trace", "-e", "trace=\(calls)"]).expect(0)
      var points: [(call: String, number: Int)] = []
      for line in try tool.text("trace").split(separator: "\n") {
        let words = line.split { $0 == " " || $0 == "(" }
        guard words.count > 1, let call = Self.calls.first(where: { words[1] == $0 }) else { continue }
        points.append((call, 1 + points.filter { $0.call == call }.count))
      }
      #expect(points.count > 20)
      var random = SplitMix64(seed: 7)
      let must = points.filter { ["rename", "symlink", "rmdir"].contains($0.call) }
      let others = points.filter { !["rename", "symlink", "rmdir"].contains($0.call) }.shuffled(
        using: &random
      )
      var killed = 0
      for (call, number) in must + others.prefix(Settings.kills(6)) {
        let before = try Before(tool)
        let result = try await scheduledExport([
          "-o", "/dev/null", "-e", "trace=\(call)", "-e", "inject=\(call):signal=SIGKILL:when=\(number)",
        ])
        if result.signal == SIGKILL { killed += 1 }
        try await expectNothingHalf(after: before, tool, "before \(call) \(number)")
      }
      #expect(killed > must.count / 2)
      try await tool.bare(ScheduledExportFixture.command + ["--keep", "2"] + tool.place).expect(0)
      #expect(tool.strangers == [])
      try await tool.expectWhole(try #require(tool.exports.last))
    }
  }

  // MARK: No room, no right

  @Test("Where there is no room, or the service fails, nothing is left and yesterday's is whole.")
  func noRoom() async throws {
    let mini = try MiniFirestore.withSamples(ScheduledExportFixture.few)
    let faults = mini.faults(
      FaultRule([.list, .runQuery], .always, .error(.permissionDenied)),
      maximumConsecutive: .max
    )
    faults.setOn(false)
    try await withTool(against: faults.handler) { tool, _ in
      try await tool.bare(ScheduledExportFixture.command + tool.place).expect(0)
      let yesterday = try tool.latestNight()
      let marks = try tool.text("nightly/.high-water-mark.json")
      // Files of 16 blocks at most (8 or 16 kB): users.jsonl is larger.
      let shell = try BinaryRunner(executable: "/bin/sh")
      let result = try await shell.run(
        ["-c", "ulimit -f 16; exec \"$BINARY\" \"$@\"", "sh"] + ScheduledExportFixture.command + tool.place,
        // The thread sanitizer begins with a larger temporary file, and does without where no folder is for it.
        environment: ["BINARY": tool.runner.executable, "TMPDIR": "/nowhere"],
        directory: tool.folder
      )
      result.expectFailure(73, "nightly/")
      #expect(tool.exports == [yesterday])
      #expect(tool.strangers == [])
      faults.setOn(true)
      try await tool.bare(ScheduledExportFixture.command + tool.place).expect(77)
      #expect(tool.exports == [yesterday])
      #expect(tool.strangers == [])
      try await tool.expectWhole(yesterday)
      #expect(try tool.text("nightly/.high-water-mark.json") == marks)
    }
  }

  @Test(
    "A disk that is full, wherever in the night that is: an error, nothing half, and the next night works.",
    .enabled("a small disk of its own wants the right to mount") {
      try await BinaryRunner.canRun("unshare", "-m", "sh", "-c", "mount -t tmpfs -o size=64k none /mnt")
    }
  )
  func fullDisk() async throws {
    let mini = try MiniFirestore.withSamples(ScheduledExportFixture.few)
    // Leaves ever more room to a night, until it has enough; returns the code of each, and what is wrong afterwards.
    let script = #"""
      mkdir disk && mount -t tmpfs -o size=4m none disk || exit 99
      "$@" >/dev/null 2>&1 || exit 98
      yesterday=$(readlink disk/nightly/latest)
      cp -R "disk/nightly/$yesterday" yesterday
      room=0
      code=73
      while [ "$code" -ne 0 ] && [ "$room" -lt 400 ]; do
        head -c $((($(stat -f -c %f disk) - room) * 4096)) /dev/zero >disk/filler
        "$@" >/dev/null 2>said
        code=$?
        rm disk/filler
        wrong=
        [ "$code" -eq 0 ] || grep -q '^error: cannot write disk/nightly' said || wrong="$wrong $(tail -1 said)"
        diff -r yesterday "disk/nightly/$yesterday" >/dev/null || wrong="$wrong yesterday"
        [ -z "$(find disk/nightly -name '*.partial')" ] || wrong="$wrong leftovers"
        for night in disk/nightly/20* disk/nightly/latest; do
          "$BINARY" export verify "$night" >/dev/null 2>&1 || wrong="$wrong $night"
        done
        echo "$code$wrong"
        room=$((room + 1 + room / 4))
      done
      """#
    try await withTool(against: mini.handler) { tool, _ in
      let result = try await BinaryRunner(executable: "/usr/bin/env").run(
        ["unshare", "-m", "sh", "-c", script, "sh", tool.runner.executable]
          + ["export", "--all", "-o", "disk/nightly", "--dated"] + tool.place,
        environment: ["BINARY": tool.runner.executable],
        directory: tool.folder,
        timeout: .seconds(1800)
      )
      result.expect(0)
      let codes = result.output.split(separator: "\n")
      #expect(codes.last == "0" && codes.dropLast().allSatisfy { $0 == "73" }, "\(codes)")
      #expect(codes.count > 5, "\(codes)")
    }
  }

  @Test("A folder that may not be written is told before anything is asked, and yesterday's is whole.")
  func noRight() async throws {
    let mini = try MiniFirestore.withSamples(ScheduledExportFixture.few)
    try await withTool(against: mini.handler) { tool, server in
      try await tool.bare(ScheduledExportFixture.command + tool.place).expect(0)
      let yesterday = try tool.latestNight()
      let asked = server.requests.count
      let manager = FileManager.default
      func permit(_ rights: Int, _ path: String) throws {
        try manager.setAttributes([.posixPermissions: rights], ofItemAtPath: path)
      }
      try manager.createDirectory(atPath: tool.path("state"), withIntermediateDirectories: false)
      try permit(0o777, tool.path("state"))
      try permit(0o755, tool.folder.path)
      // Root may write anywhere, so it becomes nobody.
      let nobody = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]
      try permit(0o555, tool.path("nightly"))
      let result = try await BinaryRunner(executable: "/usr/bin/env").run(
        (geteuid() == 0 ? nobody : []) + [tool.runner.executable] + ScheduledExportFixture.command
          + tool.place
          + ["--state-dir", tool.path("state")],
        directory: tool.folder
      )
      try permit(0o755, tool.path("nightly"))
      result.expectFailure(73, "nightly")
      #expect(server.requests.count == asked)
      #expect(tool.exports == [yesterday])
      #expect(tool.strangers == [])
      try await tool.expectWhole(yesterday)
      try await tool.bare(ScheduledExportFixture.command + tool.place).expect(0)
      #expect(tool.exports.count == 2)
    }
  }
}

extension BinaryRunner {
  /// Whether a command of the system ends in 0.
  static func canRun(_ words: String...) async throws -> Bool {
    try await BinaryRunner(executable: "/usr/bin/env").run(words).exitCode == 0
  }
}
