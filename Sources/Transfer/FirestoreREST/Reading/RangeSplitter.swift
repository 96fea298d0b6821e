import FirestoreModels

/// Cuts a collection into ranges of ids that hold about a page each, to be read side by side and given in their order:
/// pure, what was read comes in, what to read next comes out.
///
/// Where the next documents are is guessed from the last ones (``NameScale``). A range that holds more than was guessed is
/// cut again where its reading stopped; behind one that holds nothing the rest is asked for in one piece, which leads over
/// a gap of any size. So every document is in one range, however wrong a guess is.
struct RangeSplitter: Sendable {
  /// Where a range begins.
  enum Start: Sendable, Equatable {
    /// With the first document.
    case beginning
    /// Behind a document.
    case after(String)
    /// With this id, or the first behind it.
    case at(String)
  }

  /// A range that is read.
  struct Piece: Sendable, Equatable {
    /// Its number, in the order in which they are begun.
    var number: Int
    var start: Start
    /// The id that it ends before; nil where it ends with the collection.
    var end: String?
  }

  private enum Segment: Sendable {
    /// One that was begun, and the pages that have come of it, nil while they are awaited.
    case begun(Piece, pages: Int?)
    case open(Start, end: String?)
  }

  /// What the last documents were like.
  private struct Sample: Sendable {
    var from: String
    var to: String
    var count: Int
  }

  /// Ranges that may be read at once.
  private let width: Int
  /// Documents that a range should hold: a little less than a page, because a page that is full wants another.
  private let target: Int
  private var segments: [Segment]
  private var scale = NameScale()
  private var sample: Sample?
  private var number = 0

  /// How many times as far as before the next range may go at the most.
  private static let growth = 4
  /// Pages that may wait for those before them, as a multiple of the ranges that are read at once: so many that one range that
  /// takes longer does not hold up the others, and so few that they fit in memory.
  private static let held = 2

  /// Cuts what comes after an id; everything where it is nil.
  init(width: Int, pageSize: Int, after id: String?) {
    self.width = max(1, width)
    target = max(1, pageSize - pageSize / 8)
    segments = [.open(id.map { .after($0) } ?? .beginning, end: nil)]
  }

  /// Whether everything was read.
  var isDone: Bool { segments.isEmpty }

  /// The range whose documents come next, which ``begin()`` has begun before any other; nil where there is none.
  var first: Piece? {
    if case .begun(let piece, _)? = segments.first { piece } else { nil }
  }

  /// The next range to begin, nil where enough are being read.
  mutating func begin() -> Piece? {
    var awaited = 0
    var held = 0
    for case .begun(_, let pages) in segments {
      if let pages { held += pages } else { awaited += 1 }
    }
    let isFull = awaited >= width || awaited + held >= Self.held * width
    for index in segments.indices {
      guard case .open(let start, let end) = segments[index] else { continue }
      // What comes first is always read, because everything else waits for it; the rest as there is room for it, and once
      // it is known how far a page goes.
      if index > 0, isFull || sample == nil { return nil }
      number += 1
      let cut = position(behind: start, before: end)
      let piece = Piece(number: number, start: start, end: cut ?? end)
      segments[index] = .begun(piece, pages: nil)
      if let cut { segments.insert(.open(.at(cut), end: end), at: index + 1) }
      return piece
    }
    return nil
  }

  /// Notes that the pages of a range have come, so that another may be begun.
  mutating func arrive(_ number: Int, pages: Int) {
    for index in segments.indices {
      guard case .begun(let piece, nil) = segments[index], piece.number == number else { continue }
      segments[index] = .begun(piece, pages: pages)
      return
    }
  }

  /// Takes what was read of the first range, which goes.
  ///
  /// - Parameters:
  ///   - ids: Those of its documents, in their order.
  ///   - isWhole: Whether there are no more; else the rest is cut again.
  mutating func finish(_ ids: [String], isWhole: Bool) {
    guard case .begun(let piece, _)? = segments.first else { return }
    segments.removeFirst()
    guard let firstID = ids.first, let last = ids.last else {
      precondition(isWhole, "a range with more to come has documents")
      sample = nil
      return
    }
    scale.learn(ids)
    let from =
      switch piece.start {
      case .beginning: firstID
      case .after(let id), .at(let id): id
      }
    sample = Sample(from: from, to: isWhole ? piece.end ?? last : last, count: ids.count)
    if !isWhole { segments.insert(.open(.after(last), end: piece.end), at: 0) }
  }

  /// Where a range ends that should hold a page; nil where the rest is as good.
  private func position(behind start: Start, before end: String?) -> String? {
    let from: String
    switch start {
    case .beginning: return nil
    case .after(let id), .at(let id): from = id
    }
    guard let sample else { return nil }
    let span = scale.number(of: sample.to) - scale.number(of: sample.from)
    // A sample of few documents says little about how far a page goes.
    let far = min(Double(span) * Double(target) / Double(sample.count), Double(span) * Double(Self.growth))
    guard far >= 1, let position = scale.id(of: scale.number(of: from) + Int(far)), Self.isName(position),
      from.compareUTF8(position) < 0, end.map({ position.compareUTF8($0) < 0 }) ?? true
    else { return nil }
    return position
  }

  /// Whether a text can be a document's id.
  private static func isName(_ text: String) -> Bool {
    !text.isEmpty && text != "." && text != ".." && !text.hasPrefix("__") && !text.contains("/")
  }
}
