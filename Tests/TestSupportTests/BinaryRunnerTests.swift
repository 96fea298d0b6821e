import Foundation
import TestSupport
import Testing

@Suite("Binary runner", .timeLimit(.minutes(60)))
struct BinaryRunnerTests {
  private func shell() throws -> BinaryRunner { try BinaryRunner(executable: "/bin/sh") }

  @Test("gives output, errors and exit code")
  func result() async throws {
    let result = try await shell().run(["-c", "echo out; echo err >&2; exit 66"])
    #expect(result.output == "out\n")
    #expect(result.errors == "err\n")
    #expect(result.exitCode == 66)
    #expect(result.signal == nil)
    #expect(!result.timedOut)
  }

  @Test("runs in a folder, with nothing in its environment but what is given")
  func environment() async throws {
    setenv("GYMMIGRATE_TEST_LEAK", "leaked", 1)
    try await withTemporaryDirectory { folder in
      let result = try await shell().run(
        ["-c", "pwd; /usr/bin/env"],
        environment: ["GOOGLE_CLOUD_PROJECT": "p q"],
        directory: folder
      )
      let lines = Set(result.output.split(separator: "\n").map(String.init))
      #expect(lines.contains(folder.path))
      #expect(lines.contains("HOME=\(folder.path)"))
      #expect(lines.contains("GOOGLE_CLOUD_PROJECT=p q"))
      #expect(!result.output.contains("leaked"))
      let names = Set(lines.filter { $0.contains("=") }.map { String($0.prefix { $0 != "=" }) })
      #expect(
        names.subtracting(["PWD", "_", "SHLVL", "OLDPWD"]).subtracting(Sanitizer.variables.keys)
          == ["PATH", "HOME", "GOOGLE_CLOUD_PROJECT"]
      )
    }
  }

  @Test("feeds input and takes output larger than any pipe")
  func largeStreams() async throws {
    let input = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0) }
    let result = try await shell().run(["-c", "cat"], input: input)
    #expect(result.standardOutput == input)
    #expect(try await shell().run(["-c", "exit 3"], input: input).exitCode == 3)
  }

  @Test("kills the program and its children when the time is up")
  func timeout() async throws {
    let result = try await shell().run(["-c", "sleep 600 & sleep 600"], timeout: .milliseconds(100))
    #expect(result.timedOut)
    #expect(result.signal == SIGKILL)
    #expect(result.exitCode == 137)
  }

  @Test("sends signals to a program that was only started")
  func signals() async throws {
    let script = "trap 'echo stopping; exit 130' INT; echo ready; while :; do sleep 0.01; done"
    let running = try shell().start(["-c", script])
    #expect(await running.waitForText("ready\n"))
    #expect(running.send(SIGINT))
    let result = await running.wait()
    #expect(result.output == "ready\nstopping\n")
    #expect(result.exitCode == 130)
    #expect(!running.send(SIGINT))
    #expect(await running.wait().exitCode == 130)
    #expect(await running.waitForText("never") == false)

    let killed = try shell().start(["-c", "echo ready >&2; sleep 600"])
    #expect(await killed.waitForText("ready", on: .errors))
    killed.send(SIGKILL)
    #expect(await killed.wait().signal == SIGKILL)
  }

  @Test("says what is not there")
  func missing() throws {
    #expect(throws: BinaryRunner.Failure.self) { try BinaryRunner(executable: "/nowhere/gymmigrate") }
  }
}

@Suite("Generator and folders")
struct SmallHelpersTests {
  @Test("SplitMix64 gives the published sequence")
  func generator() {
    var generator = SplitMix64(seed: 1_234_567)
    #expect(generator.next() == 6_457_827_717_110_365_317)
    #expect(generator.next() == 3_203_168_211_198_807_973)
    #expect(generator.next() == 9_817_491_932_198_370_423)
    let hits = (0..<10_000).reduce(0) { count, _ in count + (generator.chance(percent: 20) ? 1 : 0) }
    #expect((1800...2200).contains(hits))
  }

  @Test("a folder is gone afterwards, also after an error")
  func folder() async throws {
    let url = try await withTemporaryDirectory { url in
      try Data("x".utf8).write(to: url.appendingPathComponent("file"))
      return url
    }
    #expect(!FileManager.default.fileExists(atPath: url.path))
    await #expect(throws: CancellationError.self) {
      try await withTemporaryDirectory { _ in throw CancellationError() }
    }
  }
}
