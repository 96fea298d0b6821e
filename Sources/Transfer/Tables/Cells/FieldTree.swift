/// Combines the cells of a row into the nested maps of their column paths.
package struct FieldTree: Sendable {
  /// A map and one of its members both have a cell in the same row.
  package struct Conflict: Error {
    /// The index of the map's column.
    package let column: Int
  }

  private struct Child {
    var name: String
    var column: Int?
    var node: Int?
  }

  private var nodes: [[Child]] = [[]]

  /// Adds a column; returns false if one has the same path.
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

  /// Returns the fields of a row, in which nil values are missing.
  ///
  /// - Throws: ``Conflict`` if a map and one of its members both have a cell.
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

  /// Merges a map into another; nil if the two differ at a path where at least one value is not a map.
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
