import Schema

/// Which exports of a schedule are kept, by the rules of restic's `forget`.
///
/// Of each of the newest days, weeks, months and years in UTC that have an export, the newest export is kept, and so are
/// all exports within a duration before the newest one, with what they add to. If there are fewer than should be kept, the
/// oldest export is kept, too, so that the history is as long as possible.
package struct RetentionPolicy: Sendable, Equatable, Codable {
  /// The number of newest exports to keep, whatever their times.
  package var last: Int?
  package var daily: Int?
  /// Weeks begin on Monday.
  package var weekly: Int?
  package var monthly: Int?
  package var yearly: Int?
  /// The duration before the newest export, in seconds.
  package var within: Int64?

  package init(last: Int? = nil) { self.last = last }

  package var isEmpty: Bool { self == RetentionPolicy() }

  /// Returns why each export is kept.
  ///
  /// - Parameters:
  ///   - times: The times of the exports, newest first.
  ///   - ends: For each of them, the time of the last export that adds to it, or its own; nil if none adds to any.
  /// - Returns: The rules that keep each export, such as `daily`; empty for one that is removed.
  package func reasons(for times: [Timestamp], until ends: [Timestamp]? = nil) -> [[String]] {
    var reasons = times.map { _ in [String]() }
    for (name, count, period) in rules {
      var left = count ?? 0
      var before: Int?
      for (index, time) in times.enumerated() where left > 0 {
        let current = period?(CalendarDay(of: time)) ?? index
        if current == before, index < times.count - 1 { continue }
        reasons[index].append(name)
        (before, left) = (current, left - 1)
      }
    }
    let ends = ends ?? times
    if let within, let newest = ends.max() {
      for (index, end) in ends.enumerated() where newest.seconds - end.seconds <= within {
        reasons[index].append("within")
      }
    }
    return reasons
  }

  /// The names and counts, with the period of a day; nil if each export is a separate period.
  private var rules: [(name: String, count: Int?, period: ((CalendarDay) -> Int)?)] {
    [
      ("last", last, nil), ("daily", daily, { $0.number }), ("weekly", weekly, { $0.monday.number }),
      ("monthly", monthly, { $0.date.year * 12 + $0.date.month }), ("yearly", yearly, { $0.date.year }),
    ]
  }
}

extension CalendarDay {
  /// The day of a moment in UTC.
  fileprivate init(of moment: Timestamp) {
    self.init(number: Int((moment.seconds - moment.seconds.flooredRemainder(by: 86_400)) / 86_400))
  }
}

/// Whether an export in a folder is kept.
package struct RetentionDecision: Sendable {
  package var export: DatedManifest
  /// Why it is kept: the rules for a whole export, `increment`, `newest` or `incomplete`; empty if it is removed.
  package var reasons: [String]
  /// The name of the whole export that an increment adds to.
  var base: String?

  package var stays: Bool { !reasons.isEmpty }
}

/// Decides which of the exports in a folder are kept.
enum RetentionRule {
  /// Decides on the exports of one database, oldest first.
  ///
  /// The policy decides on the whole exports of each series, which were requested in the same way. An increment is kept or
  /// removed with the whole export that it adds to, the last one before it, which stays while any of its increments is within
  /// the duration. The newest whole export of a series is always
  /// kept. Exports whose manifests do not record all that determines their series, or whose names are no times, are not
  /// returned.
  ///
  /// - Parameter incomplete: The names of exports that lack files: whole ones are kept for a person to look at, but do not
  ///   count, because no good export may be removed on their account.
  static func decisions(
    on all: [DatedManifest],
    by policy: RetentionPolicy,
    incomplete: Set<UTF8Key> = []
  ) -> [RetentionDecision] {
    let all = all.filter { DatedName.time(of: $0.name) != nil }
    let bases = all.indices.map { all[$0].manifest.isIncrement ? base(of: $0, in: all) : $0 }
    var reasons: [Int: [String]] = [:]
    let wholes = all.indices.filter { !all[$0].manifest.isIncrement && all[$0].manifest.isOfKnownSeries }
    for index in wholes where incomplete.contains(UTF8Key(all[index].name)) {
      reasons[index] = ["incomplete"]
    }
    let counted = wholes.filter { reasons[$0] == nil }
    for index in counted where reasons[index] == nil {
      let series = counted.filter { all[$0].manifest.isOfSameSeries(as: all[index].manifest) }
      let times = series.reversed().compactMap { DatedName.time(of: all[$0].name) }
      let ends = series.reversed().compactMap { whole in
        bases.lastIndex(of: whole).flatMap { DatedName.time(of: all[$0].name) }
      }
      let decided = policy.reasons(for: times, until: ends)
      for (index, why) in zip(series.reversed(), decided) { reasons[index] = why }
      if let newest = series.last, reasons[newest]?.isEmpty ?? false { reasons[newest] = ["newest"] }
    }
    return all.indices.compactMap { index in
      if !all[index].manifest.isIncrement {
        return reasons[index].map { RetentionDecision(export: all[index], reasons: $0) }
      }
      guard let base = bases[index], let why = reasons[base] else { return nil }
      let own = why.isEmpty ? [] : ["increment"]
      return RetentionDecision(export: all[index], reasons: own, base: all[base].name)
    }
  }

  /// Returns the decisions on the exports of the same series as the given one.
  static func decisions(
    on all: [DatedManifest],
    like name: String,
    by policy: RetentionPolicy,
    incomplete: Set<UTF8Key>
  ) -> [RetentionDecision] {
    func whole(_ index: Int) -> Manifest? {
      let isIncrement = all[index].manifest.isIncrement
      return isIncrement ? base(of: index, in: all).map { all[$0].manifest } : all[index].manifest
    }
    guard let index = all.firstIndex(where: { $0.name.isIdentical(to: name) }), let own = whole(index),
      own.isOfKnownSeries
    else { return [] }
    let same = all.indices.filter { whole($0).map { own.isOfSameSeries(as: $0) } ?? false }
    return decisions(on: same.map { all[$0] }, by: policy, incomplete: incomplete)
  }

  /// The index of the whole export that an increment adds to: the last one of its series before it.
  private static func base(of index: Int, in all: [DatedManifest]) -> Int? {
    all[index].manifest.base(in: all[..<index].map(\.manifest))
  }
}
