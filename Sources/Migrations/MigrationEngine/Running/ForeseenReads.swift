import FirestoreREST

/// The reads of sources that are carried out one after the other, as far as they are known beforehand, and which of
/// them may begin before their turn.
///
/// A read that begins early has to give what it would give at its turn: of nothing that comes before it may the changes
/// be of its documents. The type is pure.
package struct ForeseenReads: Sendable {
  /// What the changes of a source mean for those after it.
  package enum Effect: Sendable {
    /// Nothing: each is planned by itself.
    case none
    /// They are planned, and seen in what is read. A read that they concern is made without its filter.
    case planned
    /// They are written.
    case written
  }

  struct Read: Sendable, Equatable {
    /// The index of its source.
    let stage: Int
    let read: CollectionRead
  }

  private let sources: [ChangeSource]
  private let effect: Effect

  init(of sources: [ChangeSource], _ effect: Effect) {
    self.sources = sources
    self.effect = effect
  }

  /// A read of a source and those after it that may begin with it, in the order of their turns.
  ///
  /// - Returns: None where the read is not known beforehand.
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

  /// Whether none reads or changes what another one changes, so that each is planned as if it were alone.
  var areApart: Bool {
    if sources.count == 1 { return true }
    return sources.indices.allSatisfy { index in
      guard let reads = sources[index].foreseenReads else { return false }
      return sources[..<index].allSatisfy { former in !reads.contains { former.mayChange($0) } }
    }
  }

  /// The reads from a source on, up to a source whose reads are not known.
  private func reads(from stage: Int) -> [Read] {
    var reads: [Read] = []
    for stage in sources.indices.dropFirst(stage) {
      guard let known = sources[stage].foreseenReads else { break }
      reads += known.map { Read(stage: stage, read: $0) }
    }
    return reads
  }

  private func mayBeEarly(_ next: Read, among earlier: [Read]) -> Bool {
    // Another order is read at a moment of its own, which is not known yet.
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
  /// What it reads, in order, where that is known beforehand and what it changes is among it.
  var foreseenReads: [CollectionRead]? {
    guard case .migration(let migration) = self, case .perDocument(let rule) = migration.strategy else {
      return nil
    }
    return rule.sources
  }

  /// Whether its changes may be of documents that a read gives.
  func mayChange(_ read: CollectionRead) -> Bool {
    guard let reads = foreseenReads else { return true }
    return mayWrite(read.collection) || reads.contains { $0.mayShare(with: read) }
  }
}

extension CollectionRead {
  /// Whether a document may be one of both, whatever their filters are.
  func mayShare(with other: CollectionRead) -> Bool {
    if reach == .collection, other.reach == .collection { return collection == other.collection }
    if let name, let other = other.name, !name.isIdentical(to: other) { return false }
    guard let root, let other = other.root else { return true }
    return root == other
  }

  /// The id of the collections that are read; nil where they have several.
  private var name: String? {
    reach == .subcollections || collection.id.isIdentical(to: "*") ? nil : collection.id
  }

  /// The root collection that everything is in or below; nil where it may be anywhere.
  private var root: CollectionPath? {
    reach == .group || collection.root.string.isIdentical(to: "*") ? nil : collection.root
  }
}
