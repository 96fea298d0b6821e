extension Array where Element: Equatable {
  /// Whether it matches a pattern in which a star matches any elements, or none.
  package func matches(_ pattern: [Element], star: Element) -> Bool {
    var (at, position) = (0, 0)
    var retry: (pattern: Int, element: Int)?
    while at < count {
      if position < pattern.count, pattern[position] == star {
        retry = (position, at)
        position += 1
      } else if position < pattern.count, pattern[position] == self[at] {
        (at, position) = (at + 1, position + 1)
      } else if let last = retry {
        retry = (last.pattern, last.element + 1)
        (at, position) = (last.element + 1, last.pattern + 1)
      } else {
        return false
      }
    }
    return pattern[position...].allSatisfy { $0 == star }
  }
}
