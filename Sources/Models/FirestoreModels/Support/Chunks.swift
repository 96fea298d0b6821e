extension Collection {
  /// Returns the elements in order, in chunks of `count`; the last chunk may be shorter.
  package func chunks(of count: Int) -> some Sequence<SubSequence> {
    sequence(state: self[...]) { rest -> SubSequence? in
      if rest.isEmpty { return nil }
      defer { rest = rest.dropFirst(count) }
      return rest.prefix(count)
    }
  }
}
