/// The members of a map or of a document: names with their values, each name once, kept in the byte order of their
/// names (the order in which the service stores them).
package struct FieldMap: Sendable, Equatable {
  /// One member.
  package struct Entry: Sendable, Equatable {
    /// The name, raw: never quoted as in a field path.
    package var name: String
    /// Its value.
    package var value: Value

    /// Makes a member.
    package init(name: String, value: Value) {
      self.name = name
      self.value = value
    }

    /// Whether both are the same.
    package static func == (a: Entry, b: Entry) -> Bool {
      a.name.isIdentical(to: b.name) && a.value == b.value
    }
  }

  /// The members in the byte order of their names.
  package private(set) var entries: [Entry]

  /// An empty map.
  package init() {
    entries = []
  }

  /// Makes a map of members in any order; of two with one name the later one stays, as protobuf's JSON parsers
  /// of maps do.
  package init(_ members: [Entry]) {
    entries = members
    var sorted = true
    for index in entries.indices.dropFirst()
    where entries[index - 1].name.compareUTF8(entries[index].name) >= 0 {
      sorted = false
      break
    }
    if !sorted { sortAndMerge() }
  }

  /// Makes a map of members that stand in the byte order of their names, none twice.
  init(ordered members: [Entry]) {
    entries = members
  }

  /// The number of members.
  package var count: Int { entries.count }

  /// Whether there is no member.
  package var isEmpty: Bool { entries.isEmpty }

  /// Makes room for so many members, so that adding them moves nothing twice.
  package mutating func reserveCapacity(_ count: Int) {
    entries.reserveCapacity(count)
  }

  /// The value under a name, nil where there is none; setting nil removes the member.
  package subscript(name: String) -> Value? {
    get {
      let (index, found) = position(of: name)
      return found ? entries[index].value : nil
    }
    set {
      let (index, found) = position(of: name)
      switch (found, newValue) {
      case (true, let value?): entries[index].value = value
      case (true, nil): entries.remove(at: index)
      case (false, let value?): entries.insert(Entry(name: name, value: value), at: index)
      case (false, nil): break
      }
    }
  }

  /// This map with an edit made; each member is moved once.
  package func applying(_ edit: FieldEdit) -> FieldMap {
    var edited: [Entry] = []
    edited.reserveCapacity(count + edit.members.count)
    var start = 0
    for member in edit.members {
      let (index, found) = position(of: member.name, from: start)
      edited.append(contentsOf: entries[start..<index])
      if let value = member.value { edited.append(Entry(name: member.name, value: value)) }
      start = found ? index + 1 : index
    }
    edited.append(contentsOf: entries[start...])
    return FieldMap(ordered: edited)
  }

  /// The components of a vector value, nil where this is an ordinary map.
  ///
  /// The service encodes a vector as `{"__type__": "__vector__", "value": [doubles]}`.
  package var vector: [Double]? {
    guard entries.count == 2, case .string(let type)? = self["__type__"], type == "__vector__",
      case .array(let values)? = self["value"]
    else { return nil }
    var components: [Double] = []
    components.reserveCapacity(values.count)
    for value in values {
      switch value {
      case .double(let number): components.append(number)
      case .integer(let number): components.append(Double(number))
      default: return nil
      }
    }
    return components
  }

  /// Where a name stands, or would, among the members from `start` on.
  func position(of name: String, from start: Int = 0) -> (index: Int, found: Bool) {
    var low = start
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      let order = entries[middle].name.compareUTF8(name)
      if order == 0 { return (middle, true) }
      if order < 0 { low = middle + 1 } else { high = middle }
    }
    return (low, false)
  }

  private mutating func sortAndMerge() {
    let ordered = entries.enumerated().sorted { a, b in
      let order = a.element.name.compareUTF8(b.element.name)
      return order == 0 ? a.offset < b.offset : order < 0
    }
    var merged: [Entry] = []
    merged.reserveCapacity(ordered.count)
    for (_, entry) in ordered {
      if let last = merged.last, last.name.isIdentical(to: entry.name) {
        merged[merged.count - 1] = entry
      } else {
        merged.append(entry)
      }
    }
    entries = merged
  }
}

extension FieldMap: ExpressibleByDictionaryLiteral {
  /// Makes a map from a literal.
  package init(dictionaryLiteral elements: (String, Value)...) {
    self.init(elements.map { Entry(name: $0.0, value: $0.1) })
  }
}

// MARK: - Field paths

extension FieldMap {
  /// The value at a path through nested maps, nil where it ends.
  package subscript(path: FieldPath) -> Value? {
    get {
      var fields = self
      for segment in path.segments.dropLast() {
        guard case .map(let inner)? = fields[segment] else { return nil }
        fields = inner
      }
      return path.segments.last.flatMap { fields[$0] }
    }
    set {
      set(path.segments[...], to: newValue)
    }
  }

  /// Sets or removes a value; missing maps on the way are made for a value, not for a removal.
  private mutating func set(_ segments: ArraySlice<String>, to value: Value?) {
    guard let first = segments.first else { return }
    if segments.count == 1 {
      self[first] = value
      return
    }
    var inner = FieldMap()
    if case .map(let fields)? = self[first] {
      inner = fields
    } else if value == nil {
      return
    }
    inner.set(segments.dropFirst(), to: value)
    self[first] = .map(inner)
  }
}
