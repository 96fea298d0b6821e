/// One field that a change touches, at the leaf-most path at which it differs.
package struct FieldDifference: Sendable, Equatable {
  /// The field.
  package var path: FieldPath
  /// What stood there; nil where there was nothing.
  package var before: Value?
  /// What will stand there; nil where it is removed, and where the service sets it.
  package var after: Value?
  /// Whether the service sets it to the time of the commit.
  package var isServerTime: Bool

  /// Makes a difference.
  package init(path: FieldPath, before: Value?, after: Value?, isServerTime: Bool = false) {
    self.path = path
    self.before = before
    self.after = after
    self.isServerTime = isServerTime
  }
}

extension Change {
  /// What the change touches, in the byte order of the fields; a creation and a deletion touch every field of the
  /// document, whole.
  ///
  /// Two maps are compared member by member, but for a map that ends up empty and for vectors: those are one leaf.
  package var differences: [FieldDifference] {
    var found = valueDifferences
    for path in serverTimes where !isDeletion {
      found.append(
        FieldDifference(path: path, before: before?.fields[path], after: nil, isServerTime: true)
      )
    }
    return found.sorted { a, b in
      let first = a.path.segments.map { UTF8Key($0) }
      let second = b.path.segments.map { UTF8Key($0) }
      return first.lexicographicallyPrecedes(second)
    }
  }

  /// The differences without those that the service makes.
  var valueDifferences: [FieldDifference] {
    var comparison = Comparison(serverTimes: serverTimes)
    let old = before?.fields ?? FieldMap()
    switch effect {
    case .update(let edit):
      for member in edit.members {
        comparison.compare(old[member.name], member.value, at: FieldPath(field: member.name))
      }
    case .creation(let new):
      comparison.found = new.entries.map {
        FieldDifference(path: FieldPath(field: $0.name), before: nil, after: $0.value)
      }
    case .deletion:
      comparison.found = old.entries.map {
        FieldDifference(path: FieldPath(field: $0.name), before: $0.value, after: nil)
      }
    }
    return comparison.found
  }
}

/// A walk over two maps, side by side.
private struct Comparison {
  let serverTimes: [FieldPath]
  var found: [FieldDifference] = []

  init(serverTimes: [FieldPath]) {
    self.serverTimes = serverTimes
  }

  private mutating func compare(_ old: FieldMap, _ new: FieldMap, under parent: FieldPath) {
    var left = old.entries[...]
    var right = new.entries[...]
    while let name = Self.next(left.first?.name, right.first?.name) {
      let before = Self.pop(name, from: &left)
      let after = Self.pop(name, from: &right)
      compare(before, after, at: parent.appending(name))
    }
  }

  mutating func compare(_ before: Value?, _ after: Value?, at path: FieldPath) {
    if serverTimes.contains(where: { $0.isPrefix(of: path) }) { return }
    // A map that the service will set a time in is there afterwards in any case.
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
    found.append(FieldDifference(path: path, before: before, after: after))
  }

  private static func isMapOrNothing(_ value: Value?) -> Bool {
    value.map { $0.map != nil } ?? true
  }

  /// The lesser of two names by bytes.
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
