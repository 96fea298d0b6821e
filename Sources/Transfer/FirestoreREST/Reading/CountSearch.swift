/// Finds by counting where the documents of a collection are others than those that are known, without I/O.
///
/// It speaks of the known names by their positions in the order of names: `3..<5` are all names from the known name 3 on and before the
/// known name 5. The first range of all begins before every name, and the last one ends behind all of them.
///
/// The service bills a count as one read for 1,000 index entries, at least one, and a name as a read. So all ranges of
/// ``width`` names are counted: that costs as much as one count of everything. A range whose number differs is halved, one half is
/// counted, and so on, until it costs less to read the names. Of *N* documents with *d* differences, that is about *N* / 1,000 + 40 *d*
/// reads, and hardly more than the reading of all names.
///
/// What it cannot find is as many documents created as deleted between the same two names that were never counted apart.
package struct CountSearch: Sendable {
  /// How many known names a range has at first, by default.
  package static let width = 10_000
  /// The same for a search that finds more: no more reads, but ten times as many requests.
  package static let narrowWidth = 1000
  /// The most reads that a difference is estimated to cost.
  package static let readsPerDifference = 40
  /// The documents to read for a difference rather than to count on.
  private static let leaf = 24

  /// The ranges of which the names have to be read, in order; final once ``next()`` has returned nil and every question is answered.
  package var found: [Range<Int>] { Self.joined(different) }

  private let known: Int
  private var different: [Range<Int>] = []
  private var open: [Range<Int>]
  /// The ranges of which the first half is being counted, by that half.
  private var halved: [Range<Int>: (whole: Range<Int>, count: Int)] = [:]

  /// - Parameters:
  ///   - known: The number of known names.
  ///   - width: How many of them a range has at first.
  package init(known: Int, width: Int = Self.width) {
    self.known = known
    let starts = stride(from: 0, to: max(known, 1), by: width)
    open = starts.reversed().map { $0..<min($0 + width, known) }
  }

  /// Returns the next range to count; nil where answers are to come first, and at the end.
  package mutating func next() -> Range<Int>? { open.popLast() }

  /// Takes the number of documents in a range that was asked for.
  package mutating func take(_ count: Int, in range: Range<Int>) {
    settle(range, count)
    guard let (whole, all) = halved.removeValue(forKey: range) else { return }
    let other = range.upperBound..<whole.upperBound
    // Less than nothing is there where the counts are not of one moment.
    if all >= count { settle(other, all - count) } else { open.append(other) }
  }

  private mutating func settle(_ range: Range<Int>, _ count: Int) {
    let difference = abs(range.count - count)
    if difference == 0 { return }
    if range.count < 2 || count <= Self.leaf * difference {
      different.append(range)
      return
    }
    let half = range.lowerBound..<(range.lowerBound + range.count / 2)
    halved[half] = (range, count)
    open.append(half)
  }

  private static func joined(_ ranges: [Range<Int>]) -> [Range<Int>] {
    ranges.sorted { $0.lowerBound < $1.lowerBound }.reduce(into: []) { joined, range in
      if let last = joined.last, last.upperBound == range.lowerBound {
        joined[joined.count - 1] = last.lowerBound..<range.upperBound
      } else {
        joined.append(range)
      }
    }
  }
}
