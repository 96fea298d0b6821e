import FirestoreModels
import TestSupport
import Testing

@testable import gymmigrate

@Suite("Process arguments")
struct ProcessArgumentsTests {
  @Test("An empty list of words is refused; the program's name alone is not.")
  func names() throws {
    let failure = try #require(throws: Failure.self) { try ProcessArguments.assertReadable([]) }
    #expect(failure.kind == .configuration)
    try ProcessArguments.assertReadable(["gymmigrate"])
    try ProcessArguments.assertReadable(["gymmigrate", "export"])
  }

  @Test("Words are quoted for a shell, also where a combining mark follows a quote.")
  func quoting() {
    let quoted = CommandLineText.quoted(["c", "it's", "'\u{301}x"])
    #expect(Array(quoted.utf8) == Array(#"c 'it'\''s' ''\''\#u{301}x'"#.utf8))
  }

  @Test("An empty text for null is one; other empty words are a mistake.")
  func empty() throws {
    try ProcessArguments.assertGiven(["export", "c", "--null", ""])
    #expect(throws: Failure.self) { try ProcessArguments.assertGiven(["export", ""]) }
  }

  @Test(
    "Without /proc, every command line ends in 78, and nothing is on standard output.",
    .enabled("unmounting /proc needs the right to do so") {
      try await BinaryRunner.canRun("unshare", "-m", "umount", "-l", "/proc")
    }
  )
  func withoutProc() async throws {
    let program = try BinaryRunner().executable
    for words in [["export", "--all", "-o", "x"], ["--version"], []] {
      let result = try await BinaryRunner(executable: "/usr/bin/env").run(
        ["unshare", "-m", "sh", "-c", "umount -l /proc && exec \"$@\"", "sh", program] + words
      )
      result.expectFailure(78, "cannot read /proc/self/cmdline", "mount -t proc")
      #expect(result.output.isEmpty)
    }
  }
}
