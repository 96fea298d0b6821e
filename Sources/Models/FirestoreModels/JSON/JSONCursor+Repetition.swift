extension JSONCursor {
  /// Checks that no object in this value has a repeated member.
  ///
  /// - Throws: ``WireError`` with the location of the first repeated member.
  package func assertUniqueMembers() throws(WireError) {
    if isObject {
      try assertUniqueOwnMembers()
      for (name, value) in members where value.isObject || value.isArray {
        try WireError.locating(in: name.string, try value.assertUniqueMembers())
      }
    } else if isArray {
      for (index, element) in elements.enumerated() where element.isObject || element.isArray {
        try WireError.locating(in: "[\(index)]", try element.assertUniqueMembers())
      }
    }
  }

  /// Checks that this object has no repeated member, without looking into nested objects.
  ///
  /// - Throws: ``WireError`` that names the member.
  package func assertUniqueOwnMembers() throws(WireError) {
    if hasOrderedMembers { return }
    if let name = repeatedMember { throw .repeated(name.string) }
  }

  /// Whether each member's name sorts after the one before it, as in most objects; then none is repeated.
  var hasOrderedMembers: Bool {
    var members = members
    guard var last = members.next()?.name.utf8 else { return true }
    while let name = members.next()?.name.utf8 {
      if !last.precedes(name) { return false }
      last = name
    }
    return true
  }

  /// The name of a member that this object has twice.
  var repeatedMember: Name? {
    if hasClearlyDistinctMembers { return nil }
    // Messages have few members, not worth an array.
    if childCount <= 8 {
      var rest = members
      while let name = rest.next()?.name {
        for (other, _) in rest where other == name { return name }
      }
      return nil
    }
    let names = members.map(\.name).sorted { $0.utf8.precedes($1.utf8) }
    return zip(names, names.dropFirst()).first { $0 == $1 }?.1
  }

  /// Whether the members' names differ in length and first byte, as those of a document do, so that no two have to be compared.
  private var hasClearlyDistinctMembers: Bool {
    var members = members
    var seen: UInt64 = 0
    while let name = members.next()?.name.utf8 {
      let mark: UInt64 = 1 &<< (UInt64(name.first ?? 0) &+ UInt64(name.count))
      if seen & mark != 0 { return false }
      seen |= mark
    }
    return true
  }
}
