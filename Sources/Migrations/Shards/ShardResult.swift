package import Configuration
package import MigrationEngine
package import Transfer

/// `ranges/NNNNN.json`: how a range of a sharded run ended, written once.
package struct ShardResult: JSONRecord, Equatable {
  /// The part of the output that a range produced.
  package struct Part: Codable, Sendable, Equatable {
    /// The name of the object.
    package var file: String
    package var documents: Int
    package var bytes: Int
    package var sha256: String
    /// The version of the object when it was written; nil if not recorded.
    package var version: String?
    /// The columns of a CSV part, as field paths; nil for JSON Lines.
    package var columns: [String]?
    var complete: Bool?
    /// The content that `finish` is about to replace the part with; nil unless it was stopped while doing so.
    package var pending: Content?

    private enum CodingKeys: String, CodingKey {
      case bytes, columns, complete, documents, file, pending, sha256, version
    }

    /// Whether `finish` has given a CSV part the columns of the complete table, and the first part the header.
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
  /// The ID of the entire run.
  package var run: String
  /// The user who processed the range, as `user@host`.
  package var holder: String
  /// The status of the command for this range.
  package var status: RunSummary.Status
  /// The document counts.
  package var collections: [RunSummary.Collection]
  /// The part of the output; nil for a command without output.
  package var part: Part?
  /// The names of the lists that were written, such as `rejects.jsonl`.
  package var lists: [String] = []
  /// The number of requests, retries and bytes.
  package var traffic = Traffic()
  /// The duration in seconds.
  package var durationSeconds = 0.0
  /// For `migrate plan`, the cost of applying the plan.
  package var cost: Cost?
  /// For `migrate plan`, the documents to change.
  package var changes: ChangeCounts?
  /// For `migrate plan`, the documents that were read, each counted once for all migrations.
  package var documents: [Documents]?
  /// The billed operations, and those that may have been billed in addition.
  package var billed: Cost?
  package var perhapsBilled: Cost?
  /// As ``RunSummary/journalBytes``.
  package var journalBytes: Int?
  /// For `check`, the number of findings of each rule that has any.
  package var findings: [Finding]?
  /// For `copy`, the numbers of references, and what was read back.
  package var references: ReferenceRewriter.Counts?
  package var readBack: ReadBack.Counts?

  /// The number of documents of a collection.
  package struct Documents: Codable, Sendable, Equatable {
    @Text package var collection: CollectionPath
    package var count: Int

    /// Returns the numbers of collections, ordered by name.
    package static func list(of counts: [CollectionPath: Int]) -> [Documents] {
      counts.sorted { $0.key < $1.key }.map { Documents(collection: $0.key, count: $0.value) }
    }
  }

  /// The number of findings of a rule of `check`.
  package struct Finding: Codable, Sendable, Equatable {
    package var count: Int
    package var rule: String

    /// Returns the findings of rules, ordered by name.
    package static func list(of counts: [String: Int]) -> [Finding] {
      counts.sorted { UTF8Key($0.key) < UTF8Key($1.key) }.map { Finding(count: $0.value, rule: $0.key) }
    }
  }

  private enum CodingKeys: String, CodingKey {
    case billed, changes, collections, cost, documents, durationSeconds, findings, holder, journalBytes
    case lists, part, perhapsBilled, range, readBack, references
    case run = "runId"
    case status, traffic
  }

  /// Whether another result has the same counts and output.
  package func agrees(with other: ShardResult) -> Bool {
    func plain(_ result: ShardResult) -> ShardResult {
      var plain = result
      (plain.holder, plain.traffic, plain.durationSeconds) = ("", Traffic(), 0)
      (plain.billed, plain.perhapsBilled, plain.readBack) = (nil, nil, nil)
      plain.journalBytes = nil
      plain.part?.version = nil
      for index in plain.collections.indices { plain.collections[index].file = nil }
      return plain
    }
    return plain(self) == plain(other)
  }

  /// Checks that lists are plain file names.
  package func validate() throws(WireError) {
    let name = lists.first {
      $0.isEmpty || $0.hasPrefix(".") || $0.utf8.contains { $0 == UInt8(ascii: "/") || $0 == 0 }
    }
    if let name { throw WireError("'\(name)' is not a list") }
  }
}
