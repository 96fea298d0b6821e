import FirestoreREST

/// The reads of sources that are executed one after another, as far as they are known in advance, and which may begin early.
///
/// A read that begins early must return what it would at its turn, so nothing before it may change its documents. This type does
/// no I/O.
package struct ForeseenReads: Sendable {
  /// How a source's changes affect the sources after it.
  package enum Effect: Sendable {
    /// Not at all: each is planned by itself.
    case none
    /// They are planned, and visible to later reads; a read that they may affect is executed without its filter.
    case planned
    /// They are written.
    case written
  }

  struct Read: Sendable, Equatable {
    /// The index of the source.
    let stage: Int
    let read: CollectionRead
  }

  private let sources: [ChangeSource]
  private let effect: Effect

  init(of sources: [ChangeSource], _ effect: Effect) {
    self.sources = sources
    self.effect = effect
  }

  /// Returns a source's read and the later reads that may begin with it, in the order of their turns.
  ///
  /// - Returns: Empty if the read is not known in advance.
  func together(with first: CollectionRead, of stage: Int) -> [Read] {
    let reads = reads(from: stage)
    guard let start = reads.firstIndex(of: Read(stage: stage, read: first)) else { return [] }
    var together = [reads[start]]
    for next in reads[(start + 1)...] {
      guard mayBeEarly(next, among: together) else { break }
      together.append(next)
    }
    return together
  }

  /// Whether no source reads or changes what another one changes, so that each can be planned as if it were alone.
  var areApart: Bool {
    if sources.count == 1 { return true }
    return sources.indices.allSatisfy { index in
      guard let reads = sources[index].foreseenReads else { return false }
      return sources[..<index].allSatisfy { former in !reads.contains { former.mayChange($0) } }
    }
  }

  /// The reads from a source on, up to a source whose reads are not known in advance.
  private func reads(from stage: Int) -> [Read] {
    var reads: [Read] = []
    for stage in sources.indices.dropFirst(stage) {
      guard let known = sources[stage].foreseenReads else { break }
      reads += known.map { Read(stage: stage, read: $0) }
    }
    return reads
  }

  private func mayBeEarly(_ next: Read, among earlier: [Read]) -> Bool {
    // A read with another order has its own read time, which is not known yet.
    guard next.read.isOrderedByName else { return false }
    let stages = (earlier.first?.stage ?? next.stage)..<next.stage
    let others = sources[stages]
    switch effect {
    case .none: return true
    case .planned: return next.read.filter == nil || !others.contains { $0.mayChange(next.read) }
    case .written:
      let own = earlier.drop { $0.stage < next.stage }
      return !others.contains { $0.mayChange(next.read) }
        && !own.contains { $0.read.mayShare(with: next.read) }
    }
  }
}

extension ChangeSource {
  /// The reads in order, if they are known in advance and include everything that the source changes.
  var foreseenReads: [CollectionRead]? {
    guard case .migration(let migration) = self, case .perDocument(let rule) = migration.strategy else {
      return nil
    }
    return rule.sources
  }

  /// Whether the source may change documents of a read.
  func mayChange(_ read: CollectionRead) -> Bool {
    guard let reads = foreseenReads else { return true }
    return mayWrite(read.collection) || reads.contains { $0.mayShare(with: read) }
  }
}

extension CollectionRead {
  /// Whether both reads may return the same document, whatever their filters.
  func mayShare(with other: CollectionRead) -> Bool {
    if reach == .collection, other.reach == .collection { return collection == other.collection }
    if let name, let other = other.name, !name.isIdentical(to: other) { return false }
    guard let root, let other = other.root else { return true }
    return root == other
  }

  /// The ID shared by the collections that are read; nil if they have several.
  private var name: String? {
    reach == .subcollections || collection.id.isIdentical(to: "*") ? nil : collection.id
  }

  /// The root collection that contains everything; nil if documents may be anywhere.
  private var root: CollectionPath? {
    reach == .group || collection.root.string.isIdentical(to: "*") ? nil : collection.root
  }
}
