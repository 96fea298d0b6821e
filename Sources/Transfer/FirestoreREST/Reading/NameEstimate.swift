/// How far the documents of a page extend.
struct NameSample: Sendable {
  /// The names between which they lie.
  let from: DocumentPath?
  let to: DocumentPath?
  let count: Int
  /// A name in the middle of a page that does not complete its range, and the number of documents after it.
  let middle: DocumentPath?
  let behindMiddle: Int
  /// The IDs in which the documents first differ, which may be more regular than those of the whole.
  fileprivate let scale: NameScale
  fileprivate let divergence: Divergence?

  init(of piece: RangeSplitter.Piece, _ names: [DocumentPath], isWhole: Bool) {
    from = piece.start.name ?? names.first
    to = isWhole ? piece.end ?? names.last : names.last
    count = names.count
    middle = isWhole || names.isEmpty ? nil : names[names.count / 2]
    behindMiddle = names.count - 1 - names.count / 2
    var scale = NameScale()
    var divergence: Divergence?
    if let low = middle ?? from, let to { divergence = Divergence(low, to) }
    if let divergence { scale.learn(names.distinctIDs(below: divergence.collection)) }
    (self.scale, self.divergence) = (scale, divergence)
  }
}

/// Guesses where a page of documents ends, from the names of other pages.
///
/// The documents of a page first differ in the IDs of one collection: that of the whole, or, if the page lies below one
/// document, a collection there. ``NameScale`` maps these IDs to numbers, so that distances can be extrapolated. Names that
/// split the whole into similar parts (``points``) take precedence.
struct NameEstimate: Sendable {
  /// The number of documents that a page should have.
  private let target: Int
  private let level: Int
  private let isDeep: Bool
  /// Sorted names that split the whole into parts of similar size; empty if unknown.
  var points: [DocumentPath] = []
  private var scales: [CollectionPath: NameScale] = [:]
  private var coverage: [CollectionPath: Coverage] = [:]

  /// The maximum extent of a page, as a multiple of the page that it is guessed from.
  private static let growth = 8.0
  /// The maximum number of collections whose IDs are remembered.
  private static let maximumScales = 32
  /// The number of IDs of the whole that a page must have to show how far others extend.
  private static let enoughIDs = 8

  /// What was read of the whole, in pages with documents below several of its documents.
  private struct Coverage: Sendable {
    var lowest: String
    var highest: String
    /// How often one ID followed another.
    var steps = 0
    var documents = 0
  }

  init(target: Int, level: Int, isDeep: Bool) {
    self.target = target
    self.level = level
    self.isDeep = isDeep
  }

  /// Learns from the names of a page.
  mutating func learn(_ names: [DocumentPath]) {
    guard let last = names.last, let base = last.ancestor(level) else { return }
    learn(names, in: base)
    guard isDeep else { return }
    let middle = names[names.count / 2]
    if let divergence = Divergence(middle, last), divergence.collection != base {
      learn(names, in: divergence.collection)
    }
    let ids = names.distinctIDs(below: base)
    guard let first = ids.first, let last = ids.last else { return }
    var seen = coverage[base] ?? Coverage(lowest: first, highest: last)
    seen.steps += ids.count - 1
    if first.compareUTF8(seen.lowest) < 0 { seen.lowest = first }
    if last.compareUTF8(seen.highest) > 0 { seen.highest = last }
    seen.documents += names.count
    if coverage[base] != nil || coverage.count < Self.maximumScales { coverage[base] = seen }
  }

  private mutating func learn(_ names: [DocumentPath], in collection: CollectionPath) {
    if scales[collection] == nil, scales.count >= Self.maximumScales {
      // The scale that is in use is learned again from its next page.
      scales = scales.filter { coverage[$0.key] != nil }
    }
    scales[collection, default: NameScale()].learn(names.distinctIDs(below: collection))
  }

  /// Returns the name before which a page should end; nil if that cannot be guessed.
  func end(
    ofPageBehind from: DocumentPath,
    before end: DocumentPath?,
    near sample: NameSample
  ) -> DocumentPath? {
    point(behind: from, before: end, near: sample) ?? name(behind: from, near: sample)
      ?? averageName(behind: from)
  }

  // MARK: Points

  private func point(
    behind from: DocumentPath,
    before end: DocumentPath?,
    near sample: NameSample
  ) -> DocumentPath? {
    let next = index { from < $0 }
    guard next < points.count, end.map({ points[next] < $0 }) ?? true else { return nil }
    guard let low = sample.from, let high = sample.to else { return points[next] }
    let parts = Double(index { high < $0 } - index { low < $0 })
    let far = min(parts * Double(target) / Double(max(1, sample.count)), parts * Self.growth)
    // At most a third more than a page, for which a range has room.
    return points[min(points.count - 1, next + max(1, Int(far.rounded())) - 1)]
  }

  /// Returns the index of the first point that satisfies a condition, given that all points after it do, too.
  private func index(where holds: (DocumentPath) -> Bool) -> Int {
    points.indices.firstNumber { holds(points[$0]) }
  }

  // MARK: Names

  /// Extrapolates from a page: by its own IDs, which may be more regular than all, or else by those of all pages.
  private func name(behind from: DocumentPath, near sample: NameSample) -> DocumentPath? {
    guard let divergence = sample.divergence, let start = from.id(below: divergence.collection) else {
      return nil
    }
    if isDeep, divergence.collection == from.ancestor(level), let seen = coverage[divergence.collection],
      seen.steps >= Self.enoughIDs, seen.documents > target / Self.enoughIDs * seen.steps
    {
      // A page has few IDs, so that all pages together show more.
      return nil
    }
    for scale in [sample.scale, scales[divergence.collection]].compactMap({ $0 }) {
      let far = min(
        documentExtent(sample, divergence, scale) * Double(target),
        scale.distance(divergence.from, divergence.to) * Self.growth
      )
      if let name = name(far, behind: start, in: divergence.collection, scale), from < name { return name }
    }
    return nil
  }

  /// Returns the average distance from a document to the next one.
  private func documentExtent(_ sample: NameSample, _ divergence: Divergence, _ scale: NameScale) -> Double {
    let collection = divergence.collection
    var whole: Double?
    if let low = sample.from?.id(below: collection), let high = sample.to?.id(below: collection) {
      whole = scale.distance(low, high) / Double(max(1, sample.count))
    }
    guard sample.middle != nil, sample.behindMiddle > 0 else { return whole ?? 0 }
    let tail = scale.distance(divergence.from, divergence.to) / Double(sample.behindMiddle)
    // More documents show more, unless the page extends over a gap.
    if let whole, tail > 0, whole < 2 * tail, tail < 2 * whole { return whole }
    return tail
  }

  /// Extrapolates from all pages, by the IDs of the whole.
  private func averageName(behind from: DocumentPath) -> DocumentPath? {
    guard isDeep, let base = from.ancestor(level), let seen = coverage[base], seen.steps > 0,
      let scale = scales[base], let start = from.id(below: base)
    else { return nil }
    let step = scale.distance(seen.lowest, seen.highest) / Double(seen.steps)
    let steps = max(1, Double(target) * Double(seen.steps) / Double(seen.documents))
    return name(max(1, step * steps), behind: start, in: base, scale)
  }

  private func name(
    _ far: Double,
    behind id: String,
    in collection: CollectionPath,
    _ scale: NameScale
  ) -> DocumentPath? {
    guard far >= 1, far < Double(1 << 53), let found = scale.id(of: scale.number(of: id) + Int(far)),
      DocumentPath.isUsableID(found)
    else { return nil }
    return DocumentPath(collection, found)
  }
}

/// The collection in which two documents, or their ancestors, have different IDs.
private struct Divergence {
  let collection: CollectionPath
  let from: String
  let to: String

  /// Creates the divergence; nil if there is none, as between a document and one below it.
  init?(_ a: DocumentPath, _ b: DocumentPath) {
    let (left, right) = (a.segments, b.segments)
    guard
      let index = zip(left, right).enumerated().first(where: { !$0.element.0.isIdentical(to: $0.element.1) })?
        .offset, index % 2 == 1, let collection = a.ancestor(index)
    else { return nil }
    (self.collection, from, to) = (collection, left[index], right[index])
  }
}

extension [DocumentPath] {
  /// Returns the IDs in a collection of the documents or their ancestors, without consecutive duplicates.
  fileprivate func distinctIDs(below collection: CollectionPath) -> [String] {
    var ids: [String] = []
    for name in self {
      guard let id = name.id(below: collection) else { continue }
      if ids.last.map({ !$0.isIdentical(to: id) }) ?? true { ids.append(id) }
    }
    return ids
  }
}

extension NameScale {
  /// Returns the distance between two IDs; 0 if they are not in order.
  fileprivate func distance(_ a: String, _ b: String) -> Double {
    Double(max(0, number(of: b) - number(of: a)))
  }
}

extension DocumentPath {
  private static let slash = UInt8(ascii: "/")

  /// Returns the collection of its first segments; nil if there are too few, or if they name a document.
  fileprivate func ancestor(_ count: Int) -> CollectionPath? {
    var left = count
    for index in string.utf8.indices where string.utf8[index] == Self.slash {
      left -= 1
      if left == 0 { return CollectionPath(String(string[..<index])) }
    }
    return nil
  }

  /// Returns the ID, in a collection, of the document or the one that it is below; nil if it is elsewhere.
  func id(below collection: CollectionPath) -> String? {
    guard isBelow(collection) else { return nil }
    let rest = string.utf8.dropFirst(collection.string.utf8.count + 1)
    return String(Substring(rest.prefix { $0 != Self.slash }))
  }
}
