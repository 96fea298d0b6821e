import Transfer

/// `gymmigrate export verify`, also `export-verify`: compares an export with its manifest.
struct ExportVerify: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export-verify",
    abstract: "Check the files of an exported folder against its manifest; also 'export verify'.",
    discussion: """
      Compares each file's size and SHA-256 with manifest.json, and its number of documents unless it is a workbook or a \
      JSON array. Prints one line per file: its path, and 'ok' or the problem, separated by a tab; in a folder of dated \
      exports, also what an increment lacks of the ones before it, and copies. Exits with 1 when there is a problem.

        gymmigrate export verify nightly/latest
        gymmigrate export verify gs://my-backups/nightly/latest
      """,
    shouldDisplay: false
  )

  @Argument(
    help: "The folder of an export, or one of dated exports; also as gs://BUCKET/FOLDER.",
    transform: TypedValue.file.read
  )
  var folder: String

  @Flag(help: "Print JSON instead of lines.")
  var json = false

  @Flag(name: .shortAndLong, help: "Print problems only.")
  var quiet = false

  /// A folder, and what it lacks of the ones before it.
  private typealias Verified = (folder: FolderVerification, lack: String?)

  func run() async throws {
    var verified: [Verified] = []
    let access = try StorageAccess(for: [folder], nil)
    let folders = try FolderVerification.folders(in: folder, via: access.files)
    // For a single export it is not known where the others are.
    let isSeries = folders != [FilePaths.bare(folder)]
    for folder in folders {
      let verification = try FolderVerification(of: folder, via: access.files)
      let lack = isSeries ? verification.lack(behind: verified.map(\.folder)) : nil
      verified.append((verification, lack))
      if json { continue }
      try print(verification)
      if let lack { try StandardOutput.write("\(folder)\t\(lack)\n") }
    }
    let isWhole = verified.allSatisfy { $0.folder.isWhole && $0.lack == nil }
    if json { try StandardOutput.writeObject { write(verified, isWhole: isWhole, to: &$0) } }
    if !isWhole { throw ExitStatus(ExitCodes.differences) }
  }

  private func print(_ verification: FolderVerification) throws(Failure) {
    for file in verification.files where !quiet || !file.problems.isEmpty {
      let state = file.problems.isEmpty ? "ok" : file.problems.joined(separator: "; ")
      try StandardOutput.write("\(verification.folder)/\(file.entry.file)\t\(state)\n")
    }
    let strays = verification.strays
    for name in strays {
      try StandardOutput.write("\(verification.folder)/\(name)\tit is not in the manifest\n")
    }
    if quiet { return }
    for name in verification.others where !strays.contains(where: { $0.isIdentical(to: name) }) {
      Terminal.standardError.line("\(verification.folder)/\(name) is not in the manifest.")
    }
  }

  private func write(_ verified: [Verified], isWhole: Bool, to json: inout JSONWriter) {
    json.member("command", "export verify")
    json.member("status", isWhole ? "done" : "differences")
    json.member("exitCode", isWhole ? ExitCodes.done : ExitCodes.differences)
    json.member("folders", objects: verified) { json, pair in
      let (verification, lack) = pair
      json.member("folder", verification.folder)
      if let lack { json.member("problem", lack) }
      json.member("environment", verification.manifest.environment)
      json.key("readTime")
      if let time = verification.manifest.readTime { json.timestamp(time) } else { json.null() }
      json.member("files", objects: verification.files) {
        $0.member("file", $1.entry.file)
        $0.member("collection", $1.entry.collection)
        $0.member("documents", $1.entry.documents)
        $0.member("bytes", $1.entry.bytes)
        $0.member("problems", strings: $1.problems)
      }
      json.member("others", strings: verification.others)
    }
  }
}
