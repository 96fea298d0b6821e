/// What is set and what is removed among the members of a map; whatever it does not name stays.
package struct FieldEdit: Sendable {
  /// One member.
  package struct Member: Sendable {
    /// The name, raw: never quoted as in a field path.
    package var name: String
    /// What stands there afterwards; nil where nothing does, and where there was nothing to remove either.
    package var value: FirestoreModels.Value?
  }

  /// The members in the byte order of their names, each once.
  package private(set) var members: [Member] = []

  /// Changes nothing.
  package init() {}

  /// What makes one map of another.
  package init(from before: FieldMap, to after: FieldMap) {
    var index = 0
    for entry in after.entries {
      while index < before.count, before.entries[index].name.compareUTF8(entry.name) < 0 {
        members.append(Member(name: before.entries[index].name, value: nil))
        index += 1
      }
      if index < before.count, before.entries[index].name.isIdentical(to: entry.name) {
        if before.entries[index].value != entry.value { members.append(Member(entry)) }
        index += 1
      } else {
        members.append(Member(entry))
      }
    }
    for entry in before.entries[index...] { members.append(Member(name: entry.name, value: nil)) }
  }

  /// Makes room for so many members, so that adding them moves nothing twice.
  package mutating func reserveCapacity(_ count: Int) {
    members.reserveCapacity(count)
  }

  /// Sets a member, or removes it where `value` is nil.
  package mutating func set(_ name: String, to value: FirestoreModels.Value?) {
    var index = members.count
    while index > 0 {
      let order = members[index - 1].name.compareUTF8(name)
      if order == 0 {
        members[index - 1].value = value
        return
      }
      if order < 0 { break }
      index -= 1
    }
    members.insert(Member(name: name, value: value), at: index)
  }
}

extension FieldEdit.Member {
  fileprivate init(_ entry: FieldMap.Entry) {
    self.init(name: entry.name, value: entry.value)
  }
}

extension FieldEdit: ExpressibleByDictionaryLiteral {
  /// Makes an edit from a literal.
  package init(dictionaryLiteral elements: (String, FirestoreModels.Value?)...) {
    for (name, value) in elements { set(name, to: value) }
  }
}
