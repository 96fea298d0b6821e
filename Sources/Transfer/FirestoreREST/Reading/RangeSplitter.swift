import FirestoreModels

/// Splits a collection into ID ranges of about a page each, to be read concurrently and returned in order.
///
/// It estimates where the next documents are from the last ones (``NameScale``). A range with more documents
/// than estimated is split again where reading stopped; after an empty range, the remainder is requested as
/// one range, which skips a gap of any size. So every document is in exactly one range, however wrong the
/// estimates. The type is pure: it takes results and returns the next range to read.
struct RangeSplitter: Sendable {
  /// The start of a range.
  enum Start: Sendable, Equatable {
    /// At the first document.
    case beginning
    /// After a document.
    case after(String)
    /// At this ID or the first one after it.
    case at(String)
  }

  /// A range to read.
  struct Piece: Sendable, Equatable {
    /// The number, in starting order.
    var number: Int
    var start: Start
    /// The ID before which it ends; nil for the end of the collection.
    var end: String?
  }

  private enum Segment: Sendable {
    /// A started range, with the number of its pages; nil until they arrive.
    case begun(Piece, pages: Int?)
    case open(Start, end: String?)
  }

  /// The extent of the last documents.
  private struct Sample: Sendable {
    var from: String
    var to: String
    var count: Int
  }

  /// The maximum number of concurrent reads.
  private let width: Int
  /// The target size of a range: a little less than a page, because after a full page another request is
  /// needed.
  private let target: Int
  private var segments: [Segment]
  private var scale = NameScale()
  private var sample: Sample?
  private var number = 0

  /// The most that a range may extend, as a multiple of the last one.
  private static let growth = 4
  /// The most pages that may wait for earlier ones, as a multiple of the concurrent reads.
  ///
  /// It is large enough that a slow range does not stop the others, and small enough for memory.
  private static let held = 2

  /// Splits everything after an ID, or from one on, and before another; the entire collection if all are nil.
  init(width: Int, pageSize: Int, after id: String?, at first: String? = nil, before end: String? = nil) {
    self.width = max(1, width)
    target = max(1, pageSize - pageSize / 8)
    segments = [.open(id.map { .after($0) } ?? first.map { .at($0) } ?? .beginning, end: end)]
  }

  /// Whether everything was read.
  var isDone: Bool { segments.isEmpty }

  /// The range whose documents come next; ``begin()`` starts it before any other.
  var first: Piece? {
    if case .begun(let piece, _)? = segments.first { piece } else { nil }
  }

  /// Returns the next range to start; nil if enough are in flight.
  mutating func begin() -> Piece? {
    var awaited = 0
    var held = 0
    for case .begun(_, let pages) in segments {
      if let pages { held += pages } else { awaited += 1 }
    }
    let isFull = awaited >= width || awaited + held >= Self.held * width
    for index in segments.indices {
      guard case .open(let start, let end) = segments[index] else { continue }
      // The first range is always read, because everything waits for it; others only within the limits, and
      // once the extent of a page is known.
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

  /// Records that the pages of a range have arrived.
  mutating func arrive(_ number: Int, pages: Int) {
    for index in segments.indices {
      guard case .begun(let piece, nil) = segments[index], piece.number == number else { continue }
      segments[index] = .begun(piece, pages: pages)
      return
    }
  }

  /// Completes the first range.
  ///
  /// - Parameters:
  ///   - ids: The IDs of its documents, in order.
  ///   - isWhole: Whether there are no more; otherwise the remainder is split again.
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

  /// Returns the end of a range that should fill a page; nil for the entire remainder.
  private func position(behind start: Start, before end: String?) -> String? {
    let from: String
    switch start {
    case .beginning: return nil
    case .after(let id), .at(let id): from = id
    }
    guard let sample else { return nil }
    let span = scale.number(of: sample.to) - scale.number(of: sample.from)
    // A sample of few documents is a poor estimate of the extent of a page.
    let far = min(Double(span) * Double(target) / Double(sample.count), Double(span) * Double(Self.growth))
    guard far >= 1, let position = scale.id(of: scale.number(of: from) + Int(far)), Self.isName(position),
      from.compareUTF8(position) < 0, end.map({ position.compareUTF8($0) < 0 }) ?? true
    else { return nil }
    return position
  }

  /// Whether a text is a valid document ID.
  private static func isName(_ text: String) -> Bool {
    !text.isEmpty && text != "." && text != ".." && !text.hasPrefix("__") && !text.contains("/")
  }
}
