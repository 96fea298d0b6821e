extension JSONCursor {
  /// Checks that no object in this value has a repeated member.
  ///
  /// - Throws: ``WireError`` with the location of the first repeated member.
  package func assertUniqueMembers() throws(WireError) {
    if isObject {
      try assertUniqueOwnMembers()
      for (name, value) in members where value.isObject || value.isArray {
        do throws(WireError) {
          try value.assertUniqueMembers()
        } catch {
          throw error.inside(name.string)
        }
      }
    } else if isArray {
      for (index, element) in elements.enumerated() where element.isObject || element.isArray {
        do throws(WireError) {
          try element.assertUniqueMembers()
        } catch {
          throw error.inside("[\(index)]")
        }
      }
    }
  }

  /// Checks that this object has no repeated member, without looking into nested objects.
  ///
  /// - Throws: ``WireError`` that names the member.
  package func assertUniqueOwnMembers() throws(WireError) {
    // Most objects are written in order.
    var members = members
    guard var last = members.next()?.name.utf8 else { return }
    while let name = members.next()?.name.utf8 {
      if !last.precedes(name) { return try assertUniqueUnorderedMembers() }
      last = name
    }
  }

  private func assertUniqueUnorderedMembers() throws(WireError) {
    // Messages have few members, not worth an array.
    if childCount <= 8 {
      var rest = members
      while let name = rest.next()?.name {
        for (other, _) in rest where !name.utf8.precedes(other.utf8) && !other.utf8.precedes(name.utf8) {
          throw .repeated(name.string)
        }
      }
      return
    }
    let names = members.map(\.name).sorted { $0.utf8.precedes($1.utf8) }
    for index in names.indices.dropFirst() where !names[index - 1].utf8.precedes(names[index].utf8) {
      throw .repeated(names[index].string)
    }
  }
}
