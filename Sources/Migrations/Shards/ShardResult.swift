package import Configuration

/// `ranges/NNNNN.json`: how a range of a sharded run ended, written once.
package struct ShardResult: JSONRecord, Equatable {
  /// The part of the output.
  package struct Part: Codable, Sendable, Equatable {
    /// The name of the object.
    package var file: String
    package var documents: Int
    package var bytes: Int
    package var sha256: String
    /// The version of the object as it was written; nil if it was not recorded.
    package var version: String?
    /// The columns of a CSV part, as field paths; nil for JSON Lines.
    package var columns: [String]?
    var complete: Bool?
    /// What `finish` is about to replace the part by; nil unless it was stopped there.
    package var pending: Content?

    private enum CodingKeys: String, CodingKey {
      case bytes, columns, complete, documents, file, pending, sha256, version
    }

    /// Whether `finish` has given a CSV part the columns, and the first one the header, of the whole file.
    package var isComplete: Bool {
      get { complete ?? false }
      set { complete = newValue ? true : nil }
    }

    /// The content of a part.
    package struct Content: Codable, Sendable, Equatable {
      package var bytes: Int
      package var sha256: String
    }
  }

  /// The number of the range.
  package var range: Int
  /// The run ID of the whole.
  package var run: String
  /// Who did it, as `user@host`.
  package var holder: String
  /// The status of the command for this range.
  package var status: RunSummary.Status
  /// The document counts.
  package var collections: [RunSummary.Collection]
  /// The part of the output; nil for a command without.
  package var part: Part?
  /// The names of the lists that were written, such as `rejects.jsonl`.
  package var lists: [String] = []
  /// The number of requests, retries and bytes.
  package var traffic = Traffic()
  /// The duration in seconds.
  package var durationSeconds = 0.0
  /// The operations that applying a plan would cost, of `migrate plan`.
  package var cost: Cost?
  /// What the service billed, and may have billed besides.
  package var billed: Cost?
  package var perhapsBilled: Cost?
  /// The number of findings of each rule that has any, of `check`.
  package var findings: [Finding]?

  /// The number of findings of a rule of `check`.
  package struct Finding: Codable, Sendable, Equatable {
    package var count: Int
    package var rule: String

    /// Returns the findings of rules, in the order of their names.
    package static func list(of counts: [String: Int]) -> [Finding] {
      counts.sorted { UTF8Key($0.key) < UTF8Key($1.key) }.map { Finding(count: $0.value, rule: $0.key) }
    }
  }

  private enum CodingKeys: String, CodingKey {
    case billed, collections, cost, durationSeconds, findings, holder, lists, part, perhapsBilled, range
    case run = "runId"
    case status, traffic
  }

  /// Whether another result is of the same work with the same end: the counts and the output.
  package func agrees(with other: ShardResult) -> Bool {
    func plain(_ result: ShardResult) -> ShardResult {
      var plain = result
      (plain.holder, plain.traffic, plain.durationSeconds) = ("", Traffic(), 0)
      (plain.billed, plain.perhapsBilled) = (nil, nil)
      plain.part?.version = nil
      for index in plain.collections.indices { plain.collections[index].file = nil }
      return plain
    }
    return plain(self) == plain(other)
  }

  /// Checks that lists are files in a folder.
  package func validate() throws(WireError) {
    let name = lists.first {
      $0.isEmpty || $0.hasPrefix(".") || $0.utf8.contains { $0 == UInt8(ascii: "/") || $0 == 0 }
    }
    if let name { throw WireError("'\(name)' is not a list") }
  }
}
