import Tables

/// The counts of a comparison.
package struct DiffCounts: SummarySection, Equatable {
  /// Documents that are equal (`=`).
  package var same = 0
  /// Documents that exist only in `--from` (`+`).
  package var onlyInFrom = 0
  /// Documents that exist only in `--to` (`-`).
  package var onlyInTo = 0
  /// Documents that differ (`*`).
  package var different = 0
  /// Lines and collections that could not be read or compared (`!`).
  package var unreadable = 0

  package init() {}

  /// Whether the two sides differ.
  package var areDifferent: Bool { onlyInFrom + onlyInTo + different > 0 }

  /// The counts as text: `3 same, 1 only in --from, …`.
  package var text: String {
    let parts = [
      (same, "same"), (onlyInFrom, "only in --from"), (onlyInTo, "only in --to"), (different, "different"),
      (unreadable, "unreadable"),
    ]
    return parts.map { "\(NumberText.grouped($0.0)) \($0.1)" }.joined(separator: ", ")
  }

  package var name: StaticString { "differences" }
  package var line: String? { "Differences: \(text)" }
}

/// The format of differences.
package enum DiffFormat: String, Sendable, CaseIterable {
  case text, json, jsonl, csv
}

/// One line of a comparison.
struct DiffEntry: Equatable {
  /// The mark of a document, as in `rclone check --combined` with `--from` as the source and `--to` as the destination.
  enum Mark: String, Sendable {
    case same = "="
    case onlyInFrom = "+"
    case onlyInTo = "-"
    case different = "*"
    case unreadable = "!"

    /// The color; for a document on only one side, it shows what copying to `--to` would do.
    var color: TextColor? {
      switch self {
      case .same: nil
      case .onlyInFrom: .green
      case .onlyInTo, .unreadable: .red
      case .different: .yellow
      }
    }
  }

  var mark: Mark
  /// The document path, or the collection or line that could not be read.
  var path: String
  /// The differing fields, if requested.
  var differences: [FieldDifference] = []
  /// The reason why it could not be read.
  var reason: String?
}

/// Writes entries in a format.
struct DiffWriter {
  let format: DiffFormat
  let isDetailed: Bool
  var isColored = false
  private(set) var isEmpty = true

  /// The bytes before the first entry.
  var head: [UInt8] {
    switch format {
    case .text, .jsonl: []
    case .json: Array("[".utf8)
    case .csv:
      CSVLineWriter().bytes(["mark", "path"] + (isDetailed ? ["field", "from", "to"] : []))
    }
  }

  /// The bytes after the last entry.
  var tail: [UInt8] { format == .json ? Array(isEmpty ? "]\n".utf8 : "\n]\n".utf8) : [] }

  /// Returns the bytes of an entry.
  mutating func bytes(_ entry: DiffEntry) -> [UInt8] {
    defer { isEmpty = false }
    switch format {
    case .text: return text(entry)
    case .json: return Array((isEmpty ? "\n" : ",\n").utf8) + json(entry)
    case .jsonl: return json(entry) + [UInt8(ascii: "\n")]
    case .csv: return csv(entry)
    }
  }

  private func text(_ entry: DiffEntry) -> [UInt8] {
    let reason = entry.reason.map { ": \(ValueText.oneLine($0))" } ?? ""
    let line: TerminalText = "\(entry.mark.rawValue) \(ValueText.oneLine(entry.path))\(reason)"
    var lines: [TerminalText] = ["\(entry.mark.color.map { line.colored($0, if: isColored) } ?? line)\n"]
    for difference in entry.differences {
      let values = ValueText.pair(difference.before, difference.after)
      lines.append(
        "    \(ValueText.oneLine(difference.path.description)): \(values.before) -> \(values.after)\n"
      )
    }
    return Array(lines.joined().description.utf8)
  }

  private func json(_ entry: DiffEntry) -> [UInt8] {
    JSONWriter.object {
      $0.member("mark", entry.mark.rawValue)
      $0.member("path", entry.path)
      $0.member("reason", entry.reason)
      guard isDetailed, entry.mark == .different else { return }
      $0.member("differences", objects: entry.differences) { $0.members(of: $1) }
    }
  }

  private func csv(_ entry: DiffEntry) -> [UInt8] {
    let writer = CSVLineWriter()
    let place = [entry.mark.rawValue, entry.path]
    if !isDetailed { return writer.bytes(place) }
    if entry.differences.isEmpty { return writer.bytes(place + ["", "", ""]) }
    var bytes: [UInt8] = []
    for difference in entry.differences {
      let values = [Self.json(difference.before), Self.json(difference.after)]
      writer.append(place + [difference.path.description] + values, to: &bytes)
    }
    return bytes
  }

  private static func json(_ value: Value?) -> String {
    value.map { value in JSONWriter.text { $0.value(value) } } ?? ""
  }
}

extension JSONWriter {
  /// Writes a difference as the members `field`, `from` and `to`.
  package mutating func members(of difference: FieldDifference) {
    member("field", difference.path.description)
    if let value = difference.before {
      key("from")
      self.value(value)
    }
    if let value = difference.after {
      key("to")
      self.value(value)
    }
  }
}
