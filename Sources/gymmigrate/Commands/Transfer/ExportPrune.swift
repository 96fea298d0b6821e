import Transfer

/// `gymmigrate export prune`, also `export-prune`: removes old exports of a schedule.
struct ExportPrune: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export-prune",
    abstract: "Remove old exports from a folder of dated ones; also 'export prune'.",
    discussion: """
      Does what 'export --dated' with these options does after an export. Prints one line per export: its name, and why it \
      stays, or 'removed', separated by a tab. Nothing is removed with -n.

        gymmigrate export prune nightly --keep-daily 7 --keep-weekly 5 \\
            --keep-monthly 12 -n
        gymmigrate export prune gs://my-backups/nightly --keep-within 14d \\
            --keep-yearly 3
      """,
    shouldDisplay: false
  )

  @Argument(help: "The folder of dated exports; also as gs://BUCKET/FOLDER.", transform: TypedValue.file.read)
  var folder: String

  @OptionGroup var retention: RetentionOptions

  @Flag(name: [.customShort("n"), .long], help: "Say what would be removed, and why the others stay.")
  var dryRun = false

  @Flag(help: "Print JSON instead of lines.") var json = false

  func validate() throws {
    if retention.policy == nil { throw ValidationError("Say what stays: --keep, --keep-daily and so on.") }
  }

  func run() async throws {
    guard let policy = retention.policy else { return }
    let access = try StorageAccess(for: [folder], nil)
    if !FileAccess.isRemote(folder), !FileCheck.isFolder(folder) {
      throw Failure(.inputMissing, "remove old exports from", path: folder, cause: "there is no such folder")
    }
    let exports = try await scheduledExports(at: folder, in: access.storage)
    try await closing(exports) {
      let decisions = try await exports.decisions(by: policy)
      if decisions.isEmpty { Terminal.standardError.line("There are no dated exports in \(folder).") }
      let result = dryRun ? Retention() : await exports.remove(decisions)
      let stuck = Set(result.kept.map { UTF8Key($0) })
      func state(_ decision: RetentionDecision) -> String {
        if stuck.contains(UTF8Key(decision.export.name)) { return "cannot be removed" }
        if decision.stays { return decision.reasons.joined(separator: ", ") }
        return dryRun ? "would be removed" : "removed"
      }
      if json {
        try StandardOutput.writeObject {
          $0.member("command", "export prune")
          $0.member("status", stuck.isEmpty ? "done" : "incomplete")
          $0.member("exitCode", stuck.isEmpty ? ExitCodes.done : ExitCodes.incomplete)
          $0.member("exports", objects: decisions) {
            $0.member("name", $1.export.name)
            $0.member("state", state($1))
          }
        }
      } else {
        for one in decisions { try StandardOutput.write("\(one.export.name)\t\(state(one))\n") }
      }
      if !stuck.isEmpty { throw ExitStatus(ExitCodes.incomplete) }
    }
  }
}
