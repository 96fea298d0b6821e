import ArgumentParser
import Files
import FirestoreModels

/// `gymmigrate completion SHELL`.
struct CompletionCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "completion",
    abstract: "Print the completion script of a shell.",
    discussion: """
      In bash:

        eval "$(gymmigrate completion bash)"

      In zsh, write it to a file _gymmigrate in a folder of fpath; in fish, to ~/.config/fish/completions/gymmigrate.fish.
      """
  )

  enum Shell: String, ExpressibleByArgument, CaseIterable {
    case bash, zsh, fish
  }

  @Argument(help: "The shell.") var shell: Shell

  func run() throws {
    let script = Gymmigrate.completionScript(for: CompletionShell(rawValue: shell.rawValue) ?? .bash)
    try StandardOutput.write(TerminalText(lines: script))
  }
}
