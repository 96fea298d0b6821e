// A change as one JSON object: a line of plan.jsonl and of journal.jsonl. Values are in the service's own encoding.

extension JSONWriter {
  /// Writes the members of a change, sorted: `after`, `before`, `createTime`, `path`, `reasons`, `serverTimes`,
  /// `updateTime`; what is not there is left out.
  public mutating func members(of change: Change) {
    if let after = change.after {
      key("after")
      fields(after)
    }
    if let before = change.before {
      key("before")
      fields(before.fields)
    }
    if let createTime = change.before?.createTime {
      key("createTime")
      timestamp(createTime)
    }
    key("path")
    string(change.path.string)
    key("reasons")
    array { list in
      for reason in change.reasons { list.string(reason) }
    }
    key("serverTimes")
    array { list in
      for path in change.serverTimes { list.string(path.description) }
    }
    if let updateTime = change.before?.updateTime {
      key("updateTime")
      timestamp(updateTime)
    }
  }
}

extension WireDecoder {
  /// Reads a change as ``JSONWriter/members(of:)`` writes it; other members are left alone.
  public mutating func change(_ json: JSONCursor) throws(WireError) -> Change {
    guard let path = json["path"]?.string.flatMap({ DocumentPath($0) }) else {
      throw WireError("path is the path of a document")
    }
    var change = Change(path: path, before: nil, after: nil)
    if let after = json["after"] { change.after = try fields(after) }
    if let before = json["before"] {
      var document = RawDocument(path: path, fields: try fields(before))
      if let time = json["createTime"] {
        document.createTime = try Self.timestamp(time, member: "createTime")
      }
      if let time = json["updateTime"] {
        document.updateTime = try Self.timestamp(time, member: "updateTime")
      }
      change.before = document
    }
    if let reasons = json["reasons"] { change.reasons = reasons.elements.compactMap(\.string) }
    if let paths = json["serverTimes"] {
      for element in paths.elements {
        guard let text = element.string, let path = try? FieldPath(parsing: text) else {
          throw WireError("serverTimes holds field paths")
        }
        change.serverTimes.append(path)
      }
    }
    return change
  }
}
