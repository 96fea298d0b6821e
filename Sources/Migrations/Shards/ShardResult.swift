package import Configuration
package import FirestoreModels
package import FirestoreREST
package import Runs

/// `ranges/NNNNN.json`: how a range of a sharded run ended, written once.
package struct ShardResult: Sendable, Equatable {
  /// The part of the output.
  package struct Part: Sendable, Equatable {
    /// The name of the object.
    package var file: String
    package var documents: Int
    package var bytes: Int
    package var sha256: String
    /// The version of the object as it was written; nil if it was not recorded.
    package var version: String?
    /// The columns of a CSV part, as field paths; nil for JSON Lines.
    package var columns: [String]?
    /// Whether `finish` has given a CSV part the columns, and the first one the header, of the whole file.
    package var isComplete = false
    /// What `finish` is about to replace the part by; nil unless it was stopped there.
    package var pending: Content?

    /// The content of a part.
    package struct Content: Sendable, Equatable {
      package var bytes: Int
      package var sha256: String

      package init(bytes: Int, sha256: String) {
        self.bytes = bytes
        self.sha256 = sha256
      }
    }

    package init(
      file: String,
      documents: Int,
      bytes: Int,
      sha256: String,
      version: String? = nil,
      columns: [String]? = nil
    ) {
      self.file = file
      self.documents = documents
      self.bytes = bytes
      self.sha256 = sha256
      self.version = version
      self.columns = columns
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
  package var lists: [String]
  /// The number of requests, retries and bytes.
  package var traffic: Traffic
  /// The duration in seconds.
  package var durationSeconds: Double
  /// The operations that applying a plan would cost, of `migrate plan`.
  package var cost: Cost?
  /// The number of findings of each rule that has any, of `check`.
  package var findings: [String: Int]?

  package init(
    range: Int,
    run: String,
    holder: String,
    status: RunSummary.Status,
    collections: [RunSummary.Collection],
    part: Part? = nil,
    lists: [String] = [],
    traffic: Traffic = Traffic(),
    durationSeconds: Double = 0,
    cost: Cost? = nil
  ) {
    self.range = range
    self.run = run
    self.holder = holder
    self.status = status
    self.collections = collections
    self.part = part
    self.lists = lists
    self.traffic = traffic
    self.durationSeconds = durationSeconds
    self.cost = cost
  }

  /// Whether another result is of the same work with the same end: the counts and the output.
  package func agrees(with other: ShardResult) -> Bool {
    func plain(_ result: ShardResult) -> ShardResult {
      var plain = result
      (plain.holder, plain.traffic, plain.durationSeconds) = ("", Traffic(), 0)
      plain.part?.version = nil
      for index in plain.collections.indices { plain.collections[index].file = nil }
      return plain
    }
    return plain(self) == plain(other)
  }

  // MARK: JSON

  package var json: [UInt8] {
    var json = JSONWriter()
    json.object { json in
      json.key("collections")
      json.array { list in for collection in collections { list.object { collection.writeMembers(to: &$0) } }
      }
      if let cost {
        json.key("cost")
        json.object {
          $0.member("deletes", cost.deletes)
          $0.member("reads", cost.reads)
          $0.member("writes", cost.writes)
        }
      }
      json.member("durationSeconds", durationSeconds)
      if let findings {
        json.key("findings")
        json.array { list in
          for (rule, count) in findings.sorted(by: { UTF8Key($0.key) < UTF8Key($1.key) }) {
            list.object {
              $0.member("count", count)
              $0.member("rule", rule)
            }
          }
        }
      }
      json.member("holder", holder)
      json.key("lists")
      json.array { list in for name in lists { list.string(name) } }
      if let part {
        json.key("part")
        json.object { part.writeMembers(to: &$0) }
      }
      json.member("range", range)
      json.member("runId", run)
      json.member("status", status.rawValue)
      json.key("traffic")
      json.object {
        $0.member("bytesIn", traffic.bytesIn)
        $0.member("bytesOut", traffic.bytesOut)
        $0.member("requests", traffic.requests)
        $0.member("retries", traffic.retries)
      }
    }
    return json.bytes + [UInt8(ascii: "\n")]
  }

  package init(_ json: JSONCursor) throws(WireError) {
    range = try json.count("range")
    run = try json.text("runId")
    holder = try json.text("holder")
    guard let status = RunSummary.Status(rawValue: try json.text("status")) else {
      throw WireError("status is none that a run ends with")
    }
    self.status = status
    collections = []
    if let list = json["collections"] {
      for element in list.elements { collections.append(try RunSummary.Collection(element)) }
    }
    part = try json["part"].map { json throws(WireError) in try Part(json) }
    lists = json["lists"].map { $0.elements.compactMap(\.string) } ?? []
    if let name = lists.first(where: { !Self.isListName($0) }) { throw WireError("'\(name)' is not a list") }
    traffic = Traffic()
    if let counts = json["traffic"] {
      traffic.bytesIn = try counts.count("bytesIn")
      traffic.bytesOut = try counts.count("bytesOut")
      traffic.requests = try counts.count("requests")
      traffic.retries = try counts.count("retries")
    }
    durationSeconds = json["durationSeconds"]?.double ?? 0
    if let json = json["cost"] {
      var cost = Cost()
      cost.reads = try json.count("reads")
      cost.writes = try json.count("writes")
      cost.deletes = try json.count("deletes")
      self.cost = cost
    }
    if let list = json["findings"] {
      var counts: [String: Int] = [:]
      for element in list.elements { counts[try element.text("rule")] = try element.count("count") }
      findings = counts
    }
  }

  /// Whether a name is that of a file in a folder.
  private static func isListName(_ name: String) -> Bool {
    !name.isEmpty && !name.hasPrefix(".") && !name.utf8.contains { $0 == UInt8(ascii: "/") || $0 == 0 }
  }
}

extension ShardResult.Part {
  func writeMembers(to json: inout JSONWriter) {
    json.member("bytes", bytes)
    if let columns {
      json.key("columns")
      json.array { list in for column in columns { list.string(column) } }
    }
    if isComplete { json.member("complete", true) }
    json.member("documents", documents)
    json.member("file", file)
    if let pending {
      json.key("pending")
      json.object {
        $0.member("bytes", pending.bytes)
        $0.member("sha256", pending.sha256)
      }
    }
    json.member("sha256", sha256)
    json.member("version", version)
  }

  init(_ json: JSONCursor) throws(WireError) {
    file = try json.text("file")
    documents = try json.count("documents")
    bytes = try json.count("bytes")
    sha256 = try json.text("sha256")
    version = json["version"]?.string
    columns = json["columns"].map { $0.elements.compactMap(\.string) }
    isComplete = json["complete"]?.boolean ?? false
    pending = try json["pending"].map { json throws(WireError) in
      Content(bytes: try json.count("bytes"), sha256: try json.text("sha256"))
    }
  }
}
