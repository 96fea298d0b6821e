/// The fields of a document or the members of a map: unique names with values, in byte order of the names.
///
/// That is the order in which the service stores them.
///
///     var fields: FieldMap = ["role": .string("admin"), "visits": .integer(3)]
///     fields["visits"] = .integer(4)
///     fields["role"] = nil                                     // deletes the field
///     fields[try FieldPath(parsing: "plan.name")] = .string("Gold")   // creates the map `plan`
public struct FieldMap: Sendable, Equatable {
  /// A name and its value.
  public struct Entry: Sendable, Equatable {
    /// The raw name, never quoted as in a field path.
    public var name: String
    /// The value.
    public var value: Value

    /// Creates a member.
    public init(name: String, value: Value) {
      self.name = name
      self.value = value
    }

    /// Whether the names have the same bytes and the values are the same.
    public static func == (a: Entry, b: Entry) -> Bool {
      a.name.isIdentical(to: b.name) && a.value == b.value
    }
  }

  /// The members in byte order of their names.
  public private(set) var entries: [Entry]

  /// Creates an empty map.
  public init() { entries = [] }

  /// Creates a map from members in any order.
  ///
  /// Of two members with the same name the later one wins, as in protobuf's JSON parsers.
  public init(_ members: [Entry]) {
    entries = members
    let isOrdered = members.indices.dropFirst().allSatisfy {
      members[$0 - 1].name.compareUTF8(members[$0].name) < 0
    }
    if !isOrdered { sortAndMerge() }
  }

  /// Creates a map of unique members that are already in byte order.
  package init(ordered members: [Entry]) { entries = members }

  /// The number of members.
  public var count: Int { entries.count }

  /// Whether there are no members.
  public var isEmpty: Bool { entries.isEmpty }

  /// The value of a member; nil if there is none, and setting nil deletes the member.
  public subscript(name: String) -> Value? {
    get {
      let (index, exists) = position(of: name)
      return exists ? entries[index].value : nil
    }
    set {
      let (index, exists) = position(of: name)
      switch (exists, newValue) {
      case (true, let value?): entries[index].value = value
      case (true, nil): entries.remove(at: index)
      case (false, let value?): entries.insert(Entry(name: name, value: value), at: index)
      case (false, nil): break
      }
    }
  }

  /// Returns this map with an edit applied; each member is copied once.
  package func applying(_ edit: FieldEdit) -> FieldMap {
    var edited: [Entry] = []
    edited.reserveCapacity(count + edit.members.count)
    var start = 0
    for member in edit.members {
      let (index, exists) = position(of: member.name, from: start)
      edited.append(contentsOf: entries[start..<index])
      if let value = member.value { edited.append(Entry(name: member.name, value: value)) }
      start = exists ? index + 1 : index
    }
    edited.append(contentsOf: entries[start...])
    return FieldMap(ordered: edited)
  }

  /// The components of a vector value; nil for an ordinary map.
  ///
  /// Firestore encodes a vector as `{"__type__": "__vector__", "value": [doubles]}`.
  public var vector: [Double]? {
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

  /// The index of a name, or the index at which to insert it, searched from `start`.
  func position(of name: String, from start: Int = 0) -> (index: Int, exists: Bool) {
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
  /// Creates a map from members in any order; of two with the same name the later one wins.
  public init(dictionaryLiteral elements: (String, Value)...) {
    self.init(elements.map { Entry(name: $0.0, value: $0.1) })
  }
}

// MARK: - Field paths

extension FieldMap {
  /// The value at a path through nested maps; nil if the path does not exist.
  public subscript(path: FieldPath) -> Value? {
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

  /// Returns the map without some fields.
  package func removing(_ paths: [FieldPath]) -> FieldMap {
    var fields = self
    for path in paths { fields[path] = nil }
    return fields
  }

  /// Sets or deletes a value; creates missing maps only when setting.
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
