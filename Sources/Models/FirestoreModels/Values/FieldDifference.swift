/// One field that a change touches, at the deepest path that differs.
package struct FieldDifference: Sendable, Equatable {
  package var path: FieldPath
  /// The old value; nil if the field did not exist.
  package var before: Value?
  /// The new value; nil if the field is deleted or set by the service.
  package var after: Value?
  /// Whether the service sets the field to the commit time.
  package var isServerTime: Bool

  package init(path: FieldPath, before: Value?, after: Value?, isServerTime: Bool = false) {
    self.path = path
    self.before = before
    self.after = after
    self.isServerTime = isServerTime
  }
}

extension Change {
  /// The fields that the change touches, in byte order.
  ///
  /// A creation or a deletion touches every top-level field. Maps are compared member by member; vectors and
  /// maps that become empty are leaves.
  package var differences: [FieldDifference] {
    var differences = valueDifferences
    for path in serverTimes where !isDeletion {
      differences.append(.init(path: path, before: before?.fields[path], after: nil, isServerTime: true))
    }
    return differences.sorted { a, b in
      a.path.segments.map(UTF8Key.init).lexicographicallyPrecedes(b.path.segments.map(UTF8Key.init))
    }
  }

  /// The differences without server times.
  package var valueDifferences: [FieldDifference] {
    var comparison = FieldComparison(serverTimes: serverTimes)
    let old = before?.fields ?? FieldMap()
    switch effect {
    case .update(let edit):
      for member in edit.members {
        comparison.compare(old[member.name], member.value, at: FieldPath(field: member.name))
      }
    case .replacement(let fields): comparison.compare(old, fields)
    case .creation, .encodedCreation:
      comparison.differences = (after ?? FieldMap()).entries.map {
        FieldDifference(path: FieldPath(field: $0.name), before: nil, after: $0.value)
      }
    case .deletion:
      comparison.differences = old.entries.map {
        FieldDifference(path: FieldPath(field: $0.name), before: $0.value, after: nil)
      }
    }
    return comparison.differences
  }
}

/// Compares two maps side by side.
private struct FieldComparison {
  let serverTimes: [FieldPath]
  var differences: [FieldDifference] = []

  mutating func compare(_ old: FieldMap, _ new: FieldMap, under parent: FieldPath? = nil) {
    var left = old.entries[...]
    var right = new.entries[...]
    while let name = Self.next(left.first?.name, right.first?.name) {
      let before = Self.pop(name, from: &left)
      let after = Self.pop(name, from: &right)
      compare(before, after, at: parent?.appending(name) ?? FieldPath(field: name))
    }
  }

  mutating func compare(_ before: Value?, _ after: Value?, at path: FieldPath) {
    if serverTimes.contains(where: { $0.isPrefix(of: path) }) { return }
    // A map in which the service sets a time always exists afterwards.
    if serverTimes.contains(where: path.isPrefix(of:)), Self.isMapOrNothing(before),
      Self.isMapOrNothing(after)
    {
      compare(before?.map ?? FieldMap(), after?.map ?? FieldMap(), under: path)
      return
    }
    if before == after { return }
    if case .map(let old)? = before, case .map(let new)? = after, !new.isEmpty, old.vector == nil,
      new.vector == nil
    {
      compare(old, new, under: path)
      return
    }
    differences.append(FieldDifference(path: path, before: before, after: after))
  }

  private static func isMapOrNothing(_ value: Value?) -> Bool {
    value.map { $0.map != nil } ?? true
  }

  /// Returns the name that comes first in byte order.
  private static func next(_ a: String?, _ b: String?) -> String? {
    guard let a, let b else { return a ?? b }
    return a.compareUTF8(b) <= 0 ? a : b
  }

  private static func pop(_ name: String, from entries: inout ArraySlice<FieldMap.Entry>) -> Value? {
    guard let entry = entries.first, entry.name.isIdentical(to: name) else { return nil }
    entries.removeFirst()
    return entry.value
  }
}
