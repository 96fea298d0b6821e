import Configuration
import Logging
import Transfer

/// `gymmigrate history`: shows the versions of a document.
struct HistoryCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "history",
    abstract: "Print the versions of a document, and what changed between them.",
    discussion: """
      Looks at the document at moments of the past, as far back as the service keeps versions: an hour, or seven days \
      with point-in-time recovery. Versions of the last hour are found to the microsecond, older ones by the minute. Each look is a read, 100 at most or as many as --max-reads leaves; what was not looked into is reported. The oldest version comes first.

        gymmigrate history users/u1 -e stage
        gymmigrate history users/u1 -e prod --max-reads 20 --json
      """
  )

  @Argument(help: "The path of a document, as users/u1.")
  var path: String

  /// The default maximum number of reads.
  private static let looks = 100

  @Flag(help: "Print JSON instead of lines.") var json = false

  @OptionGroup var common: PrintingOptions

  func validate() throws { _ = try TypedValue.document(path) }

  /// Returns the maximum number of reads: `--max-reads`, but a limit in the configuration only lowers the default.
  private func looks(in client: FirestoreClient) -> Int {
    let left = client.caller.traffic.account.readsLeft ?? Self.looks
    return common.connection.settings.bound?.reads == nil ? min(left, Self.looks) : left
  }

  func run() async throws {
    let path = try TypedValue.document(path)
    try await common.perform("history") { session in
      let client = session.client
      guard let now = try await client.readTime(.now, of: session.environment, session.logger),
        let earliest = await client.earliestMoment(at: now)
      else { return CommandResult() }
      var search = VersionSearch(
        from: earliest,
        to: now,
        // Without any look, nothing is known: then the bound refuses the first one.
        maximumLooks: max(looks(in: client), 1)
      )
      while let moment = search.next() {
        try Task.checkCancellation()
        search.record(try await client.batchGet([path], readTime: moment)[path], at: moment)
        session.counts.update(path.collection) { $0.read += 1 }
      }
      let history = DocumentHistoryText(path: path, search: search)
      if json {
        try StandardOutput.write(data: history.json)
      } else {
        try StandardOutput.write(history.text)
      }
      if search.isIncomplete {
        session.logger.warning("Not all of the time was looked into: allow more with --max-reads.")
      }
      if search.versions.allSatisfy({ $0.document == nil }) {
        await session.warnOfMissing(path)
        // Versions that lasted less than a minute may be missing even from a complete search.
        let moments = ", nor was there at the moments looked at since \(search.earliest)"
        try Failure.assertFound(
          [path],
          in: [:],
          addition: " now\(search.looks > 1 ? moments : "")"
        )
      }
      return CommandResult()
    }
  }
}

/// Formats the versions of a document for people and for programs.
private struct DocumentHistoryText {
  let path: DocumentPath
  let search: VersionSearch

  private struct Step {
    var version: VersionSearch.Version
    var word: String
    var differences: [FieldDifference]
  }

  /// The changes, without the first version.
  private var steps: [Step] {
    var last: VersionSearch.Version?
    return search.versions.compactMap { version in
      defer { last = version }
      let (before, after) = (last?.document, version.document)
      if last != nil, before == nil, after == nil { return nil }
      let word = word(for: version, after: last)
      let isCompared = after != nil && (before != nil || word == "created")
      let differences =
        isCompared ? Change(path: path, before: before, after: after?.fields).differences : []
      return Step(version: version, word: word, differences: differences)
    }
  }

  private func word(for version: VersionSearch.Version, after last: VersionSearch.Version?) -> String {
    guard let document = version.document else { return last == nil ? "missing" : "deleted" }
    if last?.document != nil { return "changed" }
    if last == nil, document.updateTime.map({ $0 < search.earliest }) ?? true { return "as-it-was" }
    // Versions before it may not have been found.
    return document.createTime == document.updateTime ? "created" : "changed"
  }

  var text: TerminalText {
    let lines = steps.flatMap { step -> [TerminalText] in
      let time = step.word == "deleted" ? "by \(step.version.since)" : "\(step.version.since)"
      return ["\(time)  \(step.word)"]
        + step.differences.map { difference -> TerminalText in
          let values = ValueText.pair(difference.before, difference.after)
          return "    \(difference.path): \(values.before) -> \(values.after)"
        }
    }
    return "\(path)\n\(lines.joined(separator: "\n"))\n"
  }

  var json: [UInt8] {
    let bytes = JSONWriter.object {
      $0.member("isComplete", !search.isIncomplete)
      $0.member("path", path.string)
      $0.member("reads", search.looks)
      $0.member("versions", objects: steps) { Self.write($1, to: &$0) }
    }
    return bytes + [UInt8(ascii: "\n")]
  }

  private static func write(_ step: Step, to json: inout JSONWriter) {
    json.member("differences", objects: step.differences) { $0.members(of: $1) }
    if let document = step.version.document {
      json.key("document")
      json.document(document, in: nil, times: true)
    }
    json.member("event", step.word)
    json.member("since", step.version.since)
    json.member("until", step.version.until)
  }
}
