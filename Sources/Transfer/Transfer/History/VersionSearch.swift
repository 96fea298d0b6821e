/// Finds the versions of a document by reading it at various moments.
///
/// Reading at a moment shows the version of that time, and that it existed since its update time. So one more read, at the
/// last moment before that time, finds the version before it. The time of a deletion is found by bisection, to a
/// microsecond within the last hour and to a whole minute before. Between two reads without a document, further versions
/// are searched for by halving, widest gap first, as long as reads are left.
///
///     var search = VersionSearch(from: earliest, to: now, maximumLooks: 100)
///     while let moment = search.next() { search.record(try await look(moment), at: moment) }
///
/// It reads nothing itself.
package struct VersionSearch: Sendable {
  /// A version, or the absence of the document, as far as known.
  package struct Version: Sendable, Equatable {
    /// The document; nil if there was none.
    package var document: RawDocument?
    /// The first moment at which it is known to be current.
    package var since: Timestamp
    /// The last moment at which it is known to be current.
    package var until: Timestamp
  }

  /// A gap between two versions that may contain others.
  private struct Gap {
    /// The moment to read.
    var moment: Timestamp
    /// The priority: what certainly exists comes before what may exist; then the widest gap comes first.
    var interest: Int
    var microseconds: Int64
  }

  /// The earliest moment that can be read.
  package let earliest: Timestamp
  private let now: Timestamp
  /// The moment before which only whole minutes can be read.
  private let fine: Timestamp
  private let maximumLooks: Int
  package private(set) var looks = 0
  /// The versions, in chronological order.
  package private(set) var versions: [Version] = []

  private static let minute: Int64 = 60
  private static let second: Int64 = 1_000_000

  /// - Parameters:
  ///   - earliest: A whole minute, the earliest moment that the service can read.
  ///   - now: The present, by the service's clock.
  package init(from earliest: Timestamp, to now: Timestamp, maximumLooks: Int) {
    (self.earliest, self.now, self.maximumLooks) = (min(earliest, now), now, maximumLooks)
    // A minute less than the hour, because time passes during the search.
    fine = Timestamp(seconds: now.seconds - 3540) ?? now
  }

  /// Returns the next moment to read; nil if everything is known, or if all reads were spent.
  package func next() -> Timestamp? {
    if looks >= maximumLooks { return nil }
    guard let first = versions.first, versions.last?.until == now else { return now }
    if earliest < first.since { return earliest }
    return gaps.max { ($0.interest, $0.microseconds) < ($1.interest, $1.microseconds) }?.moment
  }

  /// Whether versions that lasted more than a minute may be missing, because there were too few reads.
  package var isIncomplete: Bool {
    guard let first = versions.first, versions.last?.until == now, first.since <= earliest else {
      return true
    }
    return gaps.contains { $0.interest > 0 || $0.microseconds > Self.minute * Self.second }
  }

  private var gaps: [Gap] {
    zip(versions, versions.dropFirst()).compactMap { earlier, later in
      let stretch = later.since.microseconds - earlier.until.microseconds
      if later.document != nil {
        guard let moment = before(later.since), earlier.until < moment else { return nil }
        return Gap(moment: moment, interest: 2, microseconds: stretch)
      }
      let isSure = earlier.document != nil
      let width = isSure ? 1 : Self.second / 100
      guard let moment = middle(earlier.until, later.since, wider: width) else { return nil }
      return Gap(moment: moment, interest: isSure ? 1 : 0, microseconds: stretch)
    }
  }

  /// Records what was found at a moment.
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

  /// The last readable moment before another one; nil if there is none in the window.
  private func before(_ moment: Timestamp) -> Timestamp? {
    let exact = Timestamp(microseconds: moment.microseconds - 1)
    let found = exact > fine ? exact : Self.floored(exact)
    return found.flatMap { $0 < earliest ? nil : $0 }
  }

  /// The middle of two moments, rounded to a whole minute for older times; nil if there is none, or if they are too close.
  private func middle(_ a: Timestamp, _ b: Timestamp, wider width: Int64) -> Timestamp? {
    let (start, end) = (a.microseconds, b.microseconds)
    if fine <= a {
      return end - start <= width ? nil : Timestamp(microseconds: start + (end - start) / 2)
    }
    let first = a.seconds / Self.minute + 1
    let last = (b.nanoseconds == 0 ? b.seconds - 1 : b.seconds) / Self.minute
    guard first <= last else { return nil }
    return Timestamp(seconds: (first + (last - first) / 2) * Self.minute)
  }

  private static func floored(_ moment: Timestamp) -> Timestamp? {
    Timestamp(seconds: moment.seconds / minute * minute)
  }
}
