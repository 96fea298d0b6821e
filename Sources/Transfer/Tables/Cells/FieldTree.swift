package import FirestoreModels

/// Puts the values of a row together into the nested maps that their columns' paths name.
package struct FieldTree: Sendable {
  /// A column under a map that another column of the same row fills as a whole.
  package struct Conflict: Error {
    /// The index of the column that holds the map's place.
    package let column: Int
  }

  private struct Child {
    var name: String
    var column: Int?
    var node: Int?
  }

  private var nodes: [[Child]] = [[]]

  /// Adds a column; false where there is one of that path.
  package mutating func add(_ path: FieldPath, column: Int) -> Bool {
    var node = 0
    for (depth, name) in path.segments.enumerated() {
      let index = nodes[node].firstIndex { $0.name.compareUTF8(name) >= 0 } ?? nodes[node].count
      if index == nodes[node].count || !nodes[node][index].name.isIdentical(to: name) {
        nodes[node].insert(Child(name: name), at: index)
      }
      if depth == path.segments.count - 1 {
        if nodes[node][index].column != nil { return false }
        nodes[node][index].column = column
      } else if let below = nodes[node][index].node {
        node = below
      } else {
        nodes.append([])
        nodes[node][index].node = nodes.count - 1
        node = nodes.count - 1
      }
    }
    return true
  }

  /// The fields of a row, by column; nil values are missing.
  ///
  /// - Throws: ``Conflict`` where both a map's own cell and one below it are filled.
  package func fields(of values: [Value?]) throws(Conflict) -> FieldMap { try fields(of: values, node: 0) }

  private func fields(of values: [Value?], node: Int) throws(Conflict) -> FieldMap {
    var entries: [FieldMap.Entry] = []
    for child in nodes[node] {
      let own = child.column.flatMap { values[$0] }
      var below: FieldMap?
      if let node = child.node { below = try fields(of: values, node: node) }
      if let own {
        if let below, !below.isEmpty { throw Conflict(column: child.column ?? 0) }
        entries.append(FieldMap.Entry(name: child.name, value: own))
      } else if let below, !below.isEmpty {
        entries.append(FieldMap.Entry(name: child.name, value: .map(below)))
      }
    }
    return FieldMap(entries)
  }

  /// Puts a map into another, member by member; nil where both have something that is no map in one place.
  package static func merged(_ fields: FieldMap, _ rest: FieldMap) -> FieldMap? {
    var fields = fields
    for entry in rest.entries {
      switch (fields[entry.name], entry.value) {
      case (nil, _): fields[entry.name] = entry.value
      case (.map(let a)?, .map(let b)):
        guard let both = merged(a, b) else { return nil }
        fields[entry.name] = .map(both)
      default: return nil
      }
    }
    return fields
  }
}
