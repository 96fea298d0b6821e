/// Members of a map to set or delete; all others are unchanged.
package struct FieldEdit: Sendable {
  /// A member to set or delete.
  package struct Member: Sendable {
    /// The raw name, never quoted as in a field path.
    package var name: String
    /// The new value; nil to delete the member, whether it exists or not.
    package var value: FirestoreModels.Value?
  }

  /// The members in byte order of their names, each once.
  package private(set) var members: [Member] = []

  package init() {}

  /// Computes the edit that turns one map into another.
  package init(from before: FieldMap, to after: FieldMap) {
    var index = 0
    for entry in after.entries {
      while index < before.count, before.entries[index].name.compareUTF8(entry.name) < 0 {
        members.append(Member(name: before.entries[index].name, value: nil))
        index += 1
      }
      if index < before.count, before.entries[index].name.isIdentical(to: entry.name) {
        index += 1
        if before.entries[index - 1].value == entry.value { continue }
      }
      members.append(Member(name: entry.name, value: entry.value))
    }
    for entry in before.entries[index...] { members.append(Member(name: entry.name, value: nil)) }
  }

  package mutating func reserveCapacity(_ count: Int) { members.reserveCapacity(count) }

  /// Sets a member, or deletes it if `value` is nil.
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

extension FieldEdit: ExpressibleByDictionaryLiteral {
  package init(dictionaryLiteral elements: (String, FirestoreModels.Value?)...) {
    for (name, value) in elements { set(name, to: value) }
  }
}
