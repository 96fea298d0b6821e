extension String {
  /// Returns the name that was probably meant: the one with the fewest letters changed, added, omitted or swapped, at most a
  /// third of them; nil if no name is that close.
  package func nearest(of names: [String]) -> String? {
    let limit = Swift.max(1, count / 3)
    let distances = names.map { (name: $0, distance: editDistance(to: $0)) }
    return distances.filter { $0.distance <= limit }.min { $0.distance < $1.distance }?.name
  }

  /// Returns the names that were probably meant: the ``nearest(of:)`` one, or else the few that begin with this text; nil if
  /// there are none.
  package func meant(of names: [String]) -> String? {
    if let near = nearest(of: names) { return near }
    let longer = names.filter { $0.hasPrefix(self) }
    return count < 3 || longer.isEmpty || longer.count > 3 ? nil : longer.joined(separator: " or ")
  }

  /// The minimum number of characters to change, add, omit or swap with a neighbour, ignoring case.
  private func editDistance(to other: String) -> Int {
    let (a, b) = (Array(lowercased()), Array(other.lowercased()))
    // The names that people mistype are short.
    guard a.count < 200, b.count < 200 else { return .max }
    var rows = [Array(0...b.count)]
    for i in 1..<(a.count + 1) {
      var row = [i]
      for j in 1..<(b.count + 1) {
        var least = Swift.min(
          rows[i - 1][j] + 1,
          row[j - 1] + 1,
          rows[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)
        )
        if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] {
          least = Swift.min(least, rows[i - 2][j - 2] + 1)
        }
        row.append(least)
      }
      rows.append(row)
    }
    return rows[a.count][b.count]
  }
}
