package import FirestoreModels
import FirestoreREST
import Runs

extension ShardPlan {
  /// The JSON of the plan.
  package var json: [UInt8] {
    var json = JSONWriter()
    json.object { json in
      json.key("command")
      json.array { list in for word in command { list.string(word) } }
      json.member("createdAt", createdAt)
      json.member("holder", holder)
      json.key("inputs")
      json.array { list in
        for input in inputs {
          list.object {
            $0.member("bytes", input.bytes)
            $0.member("path", input.path)
          }
        }
      }
      json.key("migrations")
      json.array { list in
        for migration in migrations {
          list.object {
            $0.member("checksum", migration.checksum)
            $0.member("id", migration.id)
          }
        }
      }
      json.member("name", name)
      json.member("part", partExtension)
      json.key("ranges")
      json.array { list in for range in ranges { list.object { range.writeMembers(to: &$0) } } }
      json.member("readTime", readTime)
      json.key("reads")
      json.array { list in
        for read in reads {
          list.object {
            $0.member("collection", read.collection.string)
            $0.member("kind", read.kind?.string)
            $0.member("reach", Self.name(of: read.reach))
          }
        }
      }
      json.member("runId", run)
      if let source {
        json.key("source")
        json.object { source.writeMembers(to: &$0) }
      }
      json.key("target")
      json.object { target.writeMembers(to: &$0) }
      json.member("tasks", tasks)
      json.member("toolVersion", toolVersion)
      json.member("version", Self.version)
      json.member("writes", writes)
    }
    return json.bytes + [UInt8(ascii: "\n")]
  }

  /// Reads a plan, and checks that its ranges fit together.
  package init(_ json: JSONCursor) throws(WireError) {
    let version = try json.count("version")
    guard version == Self.version else { throw WireError("its version is \(version), not \(Self.version)") }
    run = try json.text("runId")
    command = json["command"].map { $0.elements.compactMap(\.string) } ?? []
    name = try json.text("name")
    toolVersion = try json.text("toolVersion")
    target = try Place(json["target"], "target")
    source = try json["source"].map { json throws(WireError) in try Place(json, "source") }
    readTime = try json["readTime"].map { json throws(WireError) in
      try WireDecoder.timestamp(json, member: "readTime")
    }
    tasks = try json.count("tasks")
    guard (1...Self.maximumTasks).contains(tasks) else {
      throw WireError("tasks is not 1 to \(Self.maximumTasks)")
    }
    writes = json["writes"]?.boolean ?? false
    partExtension = json["part"]?.string
    if let partExtension,
      !["jsonl", "jsonl.gz", "csv"].contains(where: { $0.isIdentical(to: partExtension) })
    {
      throw WireError("part is none of jsonl, jsonl.gz and csv")
    }
    holder = try json.text("holder")
    createdAt =
      try json["createdAt"].map { json throws(WireError) in
        try WireDecoder.timestamp(json, member: "createdAt")
      } ?? .now
    (reads, ranges, inputs, migrations) = ([], [], [], [])
    if let list = json["reads"] {
      for element in list.elements {
        guard let collection = CollectionPath(try element.text("collection")),
          let reach = Self.reach(named: try element.text("reach"))
        else { throw WireError("a read has no collection or reach") }
        let kind = element["kind"]?.string.flatMap { CollectionPath($0) }
        reads.append(Read(collection: collection, reach: reach, kind: kind))
      }
    }
    if let list = json["ranges"] {
      for element in list.elements {
        ranges.append(try Range(element, number: ranges.count, reads: reads.count))
      }
    }
    guard (1...Self.maximumRanges).contains(ranges.count) else {
      throw WireError("it has no ranges, or too many")
    }
    if let list = json["inputs"] {
      for element in list.elements {
        inputs.append(Input(path: try element.text("path"), bytes: try element.count("bytes")))
      }
    }
    if let list = json["migrations"] {
      for element in list.elements {
        migrations.append(LedgerText(id: try element.text("id"), checksum: element["checksum"]?.string))
      }
    }
  }

  private static let reaches: [(name: String, reach: CollectionRead.Reach)] = [
    ("collection", .collection), ("subcollections", .subcollections), ("group", .group),
    ("pattern", .pattern),
  ]

  private static func name(of reach: CollectionRead.Reach) -> String {
    reaches.first { $0.reach == reach }?.name ?? ""
  }

  private static func reach(named name: String) -> CollectionRead.Reach? {
    reaches.first { $0.name.isIdentical(to: name) }?.reach
  }
}

extension ShardPlan.Place {
  func writeMembers(to json: inout JSONWriter) {
    json.member("database", database.description)
    json.member("endpoint", endpoint)
    json.member("environment", environment)
  }

  init(_ json: JSONCursor?, _ member: String) throws(WireError) {
    guard let json, let database = DatabaseName(parsing: try json.text("database")) else {
      throw WireError("it is not a database", at: [member])
    }
    self.init(
      environment: try json.text("environment"),
      database: database,
      endpoint: try json.text("endpoint")
    )
  }
}

extension ShardPlan.Range {
  func writeMembers(to json: inout JSONWriter) {
    json.member("end", names.end?.string)
    json.member("number", number)
    json.member("read", read)
    json.member("start", names.start?.string)
  }

  init(_ json: JSONCursor, number: Int, reads: Int) throws(WireError) {
    guard try json.count("number") == number else { throw WireError("range \(number) is missing") }
    func path(_ name: StaticString) throws(WireError) -> DocumentPath? {
      guard let text = json[name]?.string else { return nil }
      guard let path = DocumentPath(text) else { throw WireError("\(name) is not the path of a document") }
      return path
    }
    var read: Int?
    if let index = json["read"] {
      guard let index = WireDecoder.count(index), index < reads else {
        throw WireError("read is none of the reads")
      }
      read = index
    }
    self.init(number: number, read: read, names: NameRange(start: try path("start"), end: try path("end")))
  }
}

extension JSONCursor {
  /// The text of a member.
  func text(_ name: StaticString) throws(WireError) -> String {
    guard let text = self[name]?.string else { throw WireError("it has no \(name)") }
    return text
  }

  /// The count of a member.
  func count(_ name: StaticString) throws(WireError) -> Int {
    guard let count = self[name].flatMap({ WireDecoder.count($0) }) else {
      throw WireError("\(name) is not a count")
    }
    return count
  }
}
