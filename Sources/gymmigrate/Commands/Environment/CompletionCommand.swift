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
    let edits = shell.edits
    let whole = edits.reduce(script) { $0.replacing($1.generated, with: $1.own) }
    try StandardOutput.write(TerminalText(lines: whole))
  }
}

extension CompletionCommand.Shell {
  /// Replacements in the generated script, so that files are offered where nothing else is.
  ///
  /// Many options and arguments take files, but a completion script keeps the shell from offering them.
  fileprivate var edits: [(generated: String, own: String)] {
    switch self {
    case .bash: [("complete -o filenames", "complete -o default -o filenames")]
    case .zsh:
      [
        (":'\n", ":_files'\n"),
        (
          """
           -gt 1 ]]; then
                  __gymmigrate_complete "${completions[@]:0:-1}"
              fi
          """,
          """
           -gt 1 ]] && __gymmigrate_complete "${completions[@]:0:-1}"; then
                  return
              fi
              _files
          """
        ),
      ]
    case .fish:
      [
        ("complete -c 'gymmigrate' -f\n", ""), (" -rfka ''\n", " -r\n"),
        (
          "    command $tokens[1] $argv $tokens\n",
          """
              set -l found (command $tokens[1] $argv $tokens)
              printf '%s\\n' $found
              string match -q -- "$(commandline -ct)*" $found; or __fish_complete_path "$(commandline -ct)"

          """
        ),
      ]
    }
  }
}
