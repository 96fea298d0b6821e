// A change as one JSON object: a line of plan.jsonl and of journal.jsonl. Values are in the service's own encoding.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

extension JSONWriter {
  /// Writes the members of a change, sorted: `after`, `before`, `createTime`, `path`, `reasons`, `serverTimes`,
  /// `updateTime`; what is not there is left out.
  public mutating func members(of change: Change) {
    if let after = change.after {
      key("after")
      if let before = change.before {
        // Most of a document stays as it is, and what was written once is copied.
        let places = placedFields(after)
        key("before")
        fields(before.fields, sharing: after, writtenAt: places)
      } else {
        fields(after)
      }
    } else if let before = change.before {
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

extension JSONWriter {
  /// Writes the members of a map.
  ///
  /// - Returns: Where each begins, and behind the last where one more would, had it a comma before it.
  private mutating func placedFields(_ fields: FieldMap) -> [Int] {
    var places: [Int] = []
    places.reserveCapacity(fields.count + 1)
    object { json in
      for (index, entry) in fields.entries.enumerated() {
        places.append(json.bytes.count + (index == 0 ? 0 : 1))
        json.key(entry.name)
        json.value(entry.value)
      }
      places.append(json.bytes.count + 1)
    }
    return places
  }

  /// Writes the members of a map, those that another map has, too, as the bytes that stand there.
  private mutating func fields(_ fields: FieldMap, sharing other: FieldMap, writtenAt places: [Int]) {
    object { json in
      fields.entries.withUnsafeBufferPointer { mine in
        other.entries.withUnsafeBufferPointer { theirs in
          // The members of the other map from `first` to `at` are copied together, which is so with their commas.
          var first = 0
          var at = 0
          for index in mine.indices {
            let last = at
            if mine.isShared(index, with: theirs, from: &at) {
              if at != last {
                json.repeatMembers(first..<last, of: places)
                first = at
              }
              at += 1
            } else {
              json.repeatMembers(first..<last, of: places)
              first = at
              json.key(mine[index].name)
              json.value(mine[index].value)
            }
          }
          json.repeatMembers(first..<at, of: places)
        }
      }
    }
  }

  private mutating func repeatMembers(_ range: Range<Int>, of places: [Int]) {
    if !range.isEmpty { repeatMember(places[range.lowerBound]..<places[range.upperBound] - 1) }
  }
}

extension UnsafeBufferPointer<FieldMap.Entry> {
  /// Whether a member stands in another map, too, which is looked for from `at` on; afterwards `at` is its place, or that
  /// where it would be.
  fileprivate func isShared(_ index: Int, with other: Self, from at: inout Int) -> Bool {
    while at < other.count {
      if hasSameBits(at: index, as: other, at: at) { return true }
      let order = other[at].name.compareUTF8(self[index].name)
      if order >= 0 { return order == 0 && other[at].value == self[index].value }
      at += 1
    }
    return false
  }

  /// Whether two members are the same in memory, as nearly all are where one map was made from the other; where they are
  /// not, it says nothing.
  private func hasSameBits(at index: Int, as other: Self, at otherIndex: Int) -> Bool {
    guard let a = baseAddress, let b = other.baseAddress else { return false }
    return memcmp(a + index, b + otherIndex, MemoryLayout<FieldMap.Entry>.size) == 0
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
