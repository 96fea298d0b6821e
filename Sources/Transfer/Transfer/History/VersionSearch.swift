/// Finds the versions of one document by looking at it at moments.
///
/// A look at a moment shows the version that was there, and that it was there since its update time. So the version before
/// comes with one look at the last moment before that time. When a document was deleted is found by bisection, to a whole minute;
/// between two looks that found none it is looked for in halves, as long as there are looks left.
///
///     var search = VersionSearch(from: earliest, to: now, maximumLooks: 100)
///     while let moment = search.next() { search.record(try await look(moment), at: moment) }
///
/// It reads nothing itself.
package struct VersionSearch: Sendable {
  /// A version, or that there was no document, as far as it is known.
  package struct Version: Sendable, Equatable {
    /// The document; nil where there was none.
    package var document: RawDocument?
    /// The first moment that is known to have it.
    package var since: Timestamp
    /// The last moment that is known to have it.
    package var until: Timestamp
  }

  /// A stretch between two versions that was not looked into.
  private struct Gap {
    var moment: Timestamp
    /// Wide gaps of less interest come later.
    var rank: (interest: Int, seconds: Int64)
  }

  private let earliest: Timestamp
  private let now: Timestamp
  /// The moment up to which only whole minutes can be read.
  private let fine: Timestamp
  private let maximumLooks: Int
  package private(set) var looks = 0
  /// The versions, in the order of time.
  package private(set) var versions: [Version] = []

  private static let minute: Int64 = 60

  /// - Parameters:
  ///   - earliest: A whole minute, from which on the service can be asked.
  ///   - now: The service's present.
  package init(from earliest: Timestamp, to now: Timestamp, maximumLooks: Int) {
    (self.earliest, self.now, self.maximumLooks) = (min(earliest, now), now, maximumLooks)
    // A minute less than the hour, because time passes while it is looked for.
    fine = Timestamp(seconds: now.seconds - 3540) ?? now
  }

  /// The next moment to look at; nil where all is known, or all looks were taken.
  package func next() -> Timestamp? {
    if looks >= maximumLooks { return nil }
    return nextGap
  }

  /// Whether versions may be missing, because there were too few looks.
  package var isIncomplete: Bool { nextGap != nil }

  private var nextGap: Timestamp? {
    guard let first = versions.first, let last = versions.last, last.until == now else { return now }
    if earliest < first.since, !(first.document == nil ? false : before(first.since) == nil) { return earliest }
    return gaps.max { ($0.rank.interest, $0.rank.seconds) < ($1.rank.interest, $1.rank.seconds) }?.moment
  }

  private var gaps: [Gap] {
    zip(versions, versions.dropFirst()).compactMap { earlier, later in
      let seconds = later.since.seconds - earlier.until.seconds
      if later.document != nil {
        guard let moment = before(later.since), earlier.until < moment else { return nil }
        return Gap(moment: moment, rank: (2, seconds))
      }
      guard let moment = middle(earlier.until, later.since) else { return nil }
      return Gap(moment: moment, rank: (earlier.document == nil ? 0 : 1, seconds))
    }
  }

  /// Records what a look found.
  package mutating func record(_ document: RawDocument?, at moment: Timestamp) {
    looks += 1
    let since = document?.updateTime.map { max($0, earliest) } ?? moment
    let found = Version(document: document, since: min(since, moment), until: moment)
    let index = versions.firstIndex { moment < $0.since } ?? versions.count
    if index > 0, isSame(versions[index - 1], found) {
      versions[index - 1].until = max(moment, versions[index - 1].until)
    } else if index < versions.count, isSame(versions[index], found) {
      versions[index].since = found.since
    } else {
      versions.insert(found, at: index)
    }
  }

  private func isSame(_ a: Version, _ b: Version) -> Bool {
    guard let time = a.document?.updateTime, let other = b.document?.updateTime else { return false }
    return time == other
  }

  /// The last moment before another that can be looked at; nil where there is none in the window.
  private func before(_ moment: Timestamp) -> Timestamp? {
    let nanoseconds = moment.nanoseconds - 1000
    let exact =
      nanoseconds >= 0
      ? Timestamp(seconds: moment.seconds, nanoseconds: nanoseconds)
      : Timestamp(seconds: moment.seconds - 1, nanoseconds: nanoseconds + 1_000_000_000)
    guard let exact else { return nil }
    let found = exact > fine ? exact : Self.floored(exact)
    return found.flatMap { $0 < earliest ? nil : $0 }
  }

  /// The whole minute in the middle of two moments; nil where there is none between them.
  private func middle(_ a: Timestamp, _ b: Timestamp) -> Timestamp? {
    let first = a.seconds / Self.minute + 1
    let last = (b.nanoseconds == 0 ? b.seconds - 1 : b.seconds) / Self.minute
    guard first <= last else { return nil }
    return Timestamp(seconds: (first + (last - first) / 2) * Self.minute)
  }

  private static func floored(_ moment: Timestamp) -> Timestamp? {
    Timestamp(seconds: moment.seconds / minute * minute)
  }
}
