/// A range of document names, from one name up to but not including another.
package struct NameRange: Sendable, Equatable {
  /// The first name, which does not have to exist; nil for the beginning.
  package var start: DocumentPath?
  /// The name before which the range ends; nil for the end.
  package var end: DocumentPath?

  package init(start: DocumentPath? = nil, end: DocumentPath? = nil) {
    self.start = start
    self.end = end
  }

  /// Whether a document is in the range.
  package func contains(_ path: DocumentPath) -> Bool {
    (start.map { $0 <= path } ?? true) && (end.map { path < $0 } ?? true)
  }

  /// Returns the ranges between names, which together cover every name exactly once, in order.
  ///
  /// - Parameter cuts: The names, in any order, each of which begins a range.
  package static func ranges(between cuts: [DocumentPath]) -> [NameRange] {
    var ranges: [NameRange] = []
    var start: DocumentPath?
    for cut in cuts.sorted() where start.map({ $0 < cut }) ?? true {
      ranges.append(NameRange(start: start, end: cut))
      start = cut
    }
    return ranges + [NameRange(start: start)]
  }
}

extension CollectionRead {
  /// The range of names that it is limited to.
  package var range: NameRange {
    get { NameRange(start: startAt, end: endBefore) }
    set { (startAt, endBefore) = (newValue.start, newValue.end) }
  }
}
