/// Splits a read in name order into ranges of about a page each, to be read concurrently and returned in order.
///
/// Each range is read as one page. ``NameEstimate`` guesses from earlier pages where the next page ends. A range with more
/// documents than guessed is split again after its page, as soon as that arrives; after two empty ranges, the remainder is
/// requested as one range, which skips a gap of any size. So every name is in exactly one range, however wrong the guesses
/// are. The type is pure: it takes results and returns the next range to read.
struct RangeSplitter: Sendable {
  enum Start: Sendable, Equatable {
    /// At the first document.
    case beginning
    /// After a document.
    case after(DocumentPath)
    /// At this name or the first one after it.
    case at(DocumentPath)

    /// The name; nil for the beginning.
    var name: DocumentPath? {
      switch self {
      case .beginning: nil
      case .after(let name), .at(let name): name
      }
    }
  }

  struct Piece: Sendable, Equatable {
    var number: Int
    var start: Start
    /// The name before which it ends; nil for the end of the read.
    var end: DocumentPath?
    /// The maximum number of documents to request.
    var size: Int
  }

  private enum Segment: Sendable {
    case begun(Piece)
    case arrived(Piece, NameSample)
    case open(Start, end: DocumentPath?)

    var isOpen: Bool {
      if case .open = self { true } else { false }
    }
  }

  private let pageSize: Int
  private let isDeep: Bool
  private var segments: [Segment]
  private var estimate: NameEstimate
  /// The samples of the last finished ranges, the latest one last.
  private var finished: [NameSample] = []

  /// Splits a range of names.
  ///
  /// - Parameters:
  ///   - level: The number of path segments of the collection whose document IDs split the whole.
  ///   - isDeep: Whether documents of several collections are read.
  init(
    pageSize: Int,
    from start: Start = .beginning,
    before end: DocumentPath? = nil,
    level: Int,
    isDeep: Bool
  ) {
    self.pageSize = pageSize
    self.isDeep = isDeep
    segments = [.open(start, end: end)]
    // Pages below several documents vary more, and are allowed twice the size; on average they should not be smaller.
    let target = isDeep ? pageSize + pageSize / 4 : pageSize
    estimate = NameEstimate(target: target, level: level, isDeep: isDeep)
  }

  var isDone: Bool { segments.isEmpty }

  /// The number of the range whose page is returned next; nil if it has not begun, or at the end.
  var first: Int? {
    switch segments.first {
    case .begun(let piece), .arrived(let piece, _): piece.number
    case .open, nil: nil
    }
  }

  /// Whether the next range to begin comes before one that has begun.
  var hasGap: Bool {
    guard let next = segments.firstIndex(where: \.isOpen) else { return false }
    return segments[next...].contains { !$0.isOpen }
  }

  /// Begins the next range in order; returns nil if all have begun.
  ///
  /// - Parameter onlyFirst: Whether to begin only the range whose page is returned next.
  mutating func begin(_ number: Int, onlyFirst: Bool = false) -> Piece? {
    for index in segments.indices {
      if onlyFirst, index > 0 { return nil }
      guard case .open(let start, let end) = segments[index] else { continue }
      let cut = cut(behind: start, before: end, at: index)
      // A range that is guessed to be a page may hold some more documents, and this varies more below several documents; a
      // full page would require another request.
      let size = cut == nil ? pageSize : isDeep ? 2 * pageSize : pageSize + pageSize / 2
      let piece = Piece(number: number, start: start, end: cut ?? end, size: size)
      segments[index] = .begun(piece)
      if let cut { segments.insert(.open(.at(cut), end: end), at: index + 1) }
      return piece
    }
    return nil
  }

  /// Records the page of a range.
  ///
  /// - Parameters:
  ///   - names: The names of its documents, in order.
  ///   - isWhole: Whether the page completes the range; otherwise it has names.
  mutating func arrive(_ number: Int, _ names: [DocumentPath], isWhole: Bool) {
    for index in segments.indices {
      guard case .begun(let piece) = segments[index], piece.number == number else { continue }
      estimate.learn(names)
      segments[index] = .arrived(piece, NameSample(of: piece, names, isWhole: isWhole))
      if !isWhole, let last = names.last {
        segments.insert(.open(.after(last), end: piece.end), at: index + 1)
      }
      return
    }
  }

  /// Completes the first range, whose page has arrived.
  mutating func finish() {
    guard case .arrived(_, let sample)? = segments.first else { return }
    segments.removeFirst()
    finished = finished.suffix(1) + [sample]
  }

  /// Records names that split the whole into parts of similar size.
  mutating func take(points: [DocumentPath]) { estimate.points = points.sorted() }

  /// Returns where the range at an index should be split; nil to read it as one.
  private func cut(behind start: Start, before end: DocumentPath?, at index: Int) -> DocumentPath? {
    guard let from = start.name else { return nil }
    // The nearest pages before it are the most similar ones.
    var near: [NameSample] = []
    for segment in segments[..<index].reversed() where near.count < 2 {
      if case .arrived(_, let sample) = segment { near.append(sample) }
    }
    near += finished.reversed().prefix(2 - near.count)
    guard let sample = near.first, near.count < 2 || near.contains(where: { $0.count > 0 }),
      let cut = estimate.end(ofPageBehind: from, before: end, near: sample), from < cut,
      end.map({ cut < $0 }) ?? true
    else { return nil }
    return cut
  }
}
