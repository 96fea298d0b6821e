import Configuration
import Platform

/// The exit of a command whose summary has already been printed.
typealias ExitStatus = ExitCode

/// The last lines of a command's output.
enum SummaryText {
  /// `users: 400 read, 264 written, 128 unchanged, 8 rejected (review 43)`, one line per collection and one for the total.
  static func lines(_ summary: RunSummary) -> [String] {
    var lines = summary.collections.map { collection in
      let file = collection.file.map { " -> \($0)" } ?? ""
      return "\(collection.name): \(counts(collection.counts))\(file)"
    }
    let hasBegun = !summary.collections.isEmpty || summary.status != .failed
    if summary.collections.count != 1, summary.showsCounts, hasBegun {
      lines.append("In all: \(counts(summary.totals))")
    }
    lines += summary.sections.compactMap(\.line)
    lines += bill(summary)
    if let units = summary.units { lines.append(units.text) }
    let seconds = (summary.durationSeconds * 10).rounded() / 10
    let rate = Int(clamping: Double(summary.totals.read) / max(summary.durationSeconds, 0.001))
    let speed = summary.showsCounts && hasBegun ? ", \(NumberText.grouped(rate)) documents/s" : ""
    let requests = NumberText.counted(summary.traffic.requests, "request")
    let retries = NumberText.counted(summary.traffic.retries, "retry", plural: "retries")
    let run = summary.hasRun ? " (run \(summary.runID))" : ""
    lines.append("\(ending(summary)) in \(seconds) s\(speed), \(requests), \(retries)\(run).")
    return lines
  }

  /// How the run ended: `Done`, or `Done, 43 for review, 8 rejected,` if something is left for a person.
  private static func ending(_ summary: RunSummary) -> String {
    switch summary.status {
    case .done: return "Done"
    case .differences: return "Done, differences found,"
    case .failed: return "Failed"
    case .interrupted: return "Interrupted"
    case .incomplete:
      let left = summary.totals.left.map { ", \(NumberText.grouped($0.count)) \($0.name)" }.joined()
      return "Done\(left.isEmpty ? ", with something left for a person" : left),"
    }
  }

  /// The purpose of a run's list, by its name; empty for any other file.
  static func purpose(of list: String) -> String {
    switch list.split(separator: "/").last {
    case "plan.jsonl": " (the whole plan)"
    case "review.csv": " (what a person must decide)"
    case "rejects.jsonl", "rejects.csv": " (what was left alone, and why)"
    case "findings.csv": " (every finding)"
    default: ""
    }
  }

  static func bill(_ summary: RunSummary) -> [String] {
    summary.billed.map { bill($0, summary.perhapsBilled) } ?? []
  }

  /// The line of the bill; empty if nothing was billed.
  static func bill(_ billed: Cost, _ perhaps: Cost) -> [String] {
    if billed == Cost() { return [] }
    let more =
      perhaps == Cost()
      ? "" : ", and perhaps \(perhaps.textOfSome) more by requests without a complete answer"
    return ["Billed: \(billed.text)\(more)."]
  }

  static func counts(_ counts: DocumentCounts) -> String {
    var counts = counts
    // Created documents are new anyway.
    if counts.new == counts.created { counts.new = 0 }
    let shown = counts.members.enumerated().filter { $0.offset == 0 || $0.element.count > 0 }
    return shown.map { "\(NumberText.grouped($0.element.count)) \($0.element.name)" }.joined(separator: ", ")
  }
}

/// Command lines as they can be typed again.
enum CommandLineText {
  static var workingDirectory: String {
    guard let path = getcwd(nil, 0) else { return "." }
    defer { free(path) }
    return String(cString: path)
  }

  /// Words quoted for a shell.
  static func quoted(_ words: [String]) -> String { words.map { quoted($0) }.joined(separator: " ") }

  private static func quoted(_ argument: String) -> String {
    let safe = argument.utf8.allSatisfy { $0.isASCIILetterOrDigit || "-_./:=@%+,".utf8.contains($0) }
    if safe, !argument.isEmpty { return argument }
    if argument.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) {
      return escaped(argument)
    }
    return "'\(argument.replacing(scalar: "'", with: "'\\''"))'"
  }

  /// A word with control characters, which a terminal would interpret, in the notation of bash, ksh and zsh: `$'a\x0ab'`.
  private static func escaped(_ argument: String) -> String {
    var text = "$'"
    for scalar in argument.unicodeScalars {
      switch scalar {
      case "'", "\\": text += "\\\(scalar)"
      case _ where scalar.properties.generalCategory == .control:
        for byte in String(scalar).utf8 { text += "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16) }
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text + "'"
  }
}
