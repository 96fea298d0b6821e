// Changes as JSON: the lines of plan.jsonl and journal.jsonl. Values have the REST encoding.

extension JSONWriter {
  /// Writes the members of a change, sorted: `after`, `before`, `createTime`, `input`, `path`,
  /// `reasons`, `serverTimes`, `transaction`, `updateTime`.
  ///
  /// Members without a value are omitted.
  package mutating func members(of change: Change, transaction: Int? = nil) {
    switch change.effect {
    case .creation(let fields):
      key("after")
      self.fields(fields)
    case .encodedCreation(let document):
      key("after")
      fields(of: document)
    case .replacement(let fields):
      key("after")
      self.fields(fields)
      key("before")
      self.fields(change.before?.fields ?? FieldMap())
    case .update(let edit):
      // Most fields are unchanged: their bytes are written once and then copied.
      let before = change.before?.fields ?? FieldMap()
      key("after")
      let runs = fields(before, applying: edit)
      key("before")
      fields(before, writtenIn: runs)
    case .deletion:
      if let before = change.before {
        key("before")
        fields(before.fields)
      }
    }
    member("createTime", change.before?.createTime)
    if change.input > 0 { member("input", change.input) }
    member("path", change.path.string)
    member("reasons", strings: change.reasons)
    member("serverTimes", strings: change.serverTimes.lazy.map(\.description))
    if let transaction { member("transaction", transaction) }
    member("updateTime", change.before?.updateTime)
  }
}

/// Consecutive members of a map and the bytes at which they were written.
private struct WrittenMembers {
  var members: Range<Int>
  var bytes: Range<Int>
}

extension JSONWriter {
  /// Writes a map with an edit applied.
  ///
  /// - Returns: The byte ranges of unchanged members.
  private mutating func fields(_ fields: FieldMap, applying edit: FieldEdit) -> [WrittenMembers] {
    var runs: [WrittenMembers] = []
    runs.reserveCapacity(edit.members.count + 1)
    object { json in
      var start = 0
      for member in edit.members {
        let (index, exists) = fields.position(of: member.name, from: start)
        json.members(start..<index, of: fields, notedIn: &runs)
        if let value = member.value {
          json.key(member.name)
          json.value(value)
        }
        start = exists ? index + 1 : index
      }
      json.members(start..<fields.count, of: fields, notedIn: &runs)
    }
    return runs
  }

  private mutating func members(
    _ members: Range<Int>,
    of fields: FieldMap,
    notedIn runs: inout [WrittenMembers]
  ) {
    if members.isEmpty { return }
    let start = nextMember
    self.members(members, of: fields)
    runs.append(WrittenMembers(members: members, bytes: start..<bytes.count))
  }

  /// Writes a map, copying members that were already written.
  private mutating func fields(_ fields: FieldMap, writtenIn runs: [WrittenMembers]) {
    object { json in
      var start = 0
      for run in runs {
        json.members(start..<run.members.lowerBound, of: fields)
        json.repeatMembers(run.bytes)
        start = run.members.upperBound
      }
      json.members(start..<fields.count, of: fields)
    }
  }

  private mutating func members(_ members: Range<Int>, of fields: FieldMap) {
    for index in members {
      key(fields.entries[index].name)
      value(fields.entries[index].value)
    }
  }
}

extension WireDecoder {
  /// Decodes a change as written by ``JSONWriter/members(of:)``; ignores other members.
  package mutating func change(_ json: JSONCursor) throws(WireError) -> Change {
    guard let path = json["path"]?.string.flatMap(DocumentPath.init) else {
      throw WireError("path is the path of a document")
    }
    var after: FieldMap?
    if let member = json["after"] { after = try fields(member) }
    var before: RawDocument?
    if let member = json["before"] {
      var document = RawDocument(path: path, fields: try fields(member))
      if let time = json["createTime"] {
        document.createTime = try Self.timestamp(time, member: "createTime")
      }
      if let time = json["updateTime"] {
        document.updateTime = try Self.timestamp(time, member: "updateTime")
      }
      before = document
    }
    var change = Change(path: path, before: before, after: after)
    if let reasons = json["reasons"] { change.reasons = reasons.elements.compactMap(\.string) }
    if let input = json["input"] {
      guard let number = Self.count(input) else { throw WireError("input is a number") }
      change.input = number
    }
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

  /// Decodes the number of the transaction that a change belongs to; nil if it belongs to none.
  package static func transaction(_ json: JSONCursor) throws(WireError) -> Int? {
    guard let number = json["transaction"] else { return nil }
    guard let transaction = count(number) else { throw WireError("transaction is a number") }
    return transaction
  }
}
