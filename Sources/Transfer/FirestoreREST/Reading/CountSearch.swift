/// Finds, by counting, where a collection has other documents than the known ones, without I/O.
///
/// Ranges refer to the known names by their positions in the order of names: `3..<5` covers all names from the known name 3
/// up to but not including the known name 5. The first range of all begins before every name, and the last one ends after
/// all names.
///
/// The service bills a count as one read per 1,000 index entries, at least one, and a name as one read. So first all ranges
/// of ``width`` names are counted, which costs as much as one count of everything. A range whose count differs is halved,
/// one half is counted, and so on, until it is cheaper to read the names. For *N* documents with *d* differences, that
/// takes about *N* / 1,000 + 40 *d* reads, and hardly more than reading all names.
///
/// It cannot find equal numbers of created and deleted documents between two names that were never counted separately.
package struct CountSearch: Sendable {
  /// The default number of known names in a range at first.
  package static let width = 10_000
  /// A width for searches that find more: it takes no more reads, but ten times as many requests.
  package static let narrowWidth = 1000
  /// The estimated maximum number of reads per difference.
  package static let readsPerDifference = 40
  /// The number of documents per difference that are read rather than counted further.
  private static let leaf = 24

  /// The ranges whose names have to be read, in order; final once ``next()`` has returned nil and every question is
  /// answered.
  package var found: [Range<Int>] { Self.joined(different) }

  private var different: [Range<Int>] = []
  private var open: [Range<Int>]
  /// The ranges whose first half is being counted, by that half.
  private var halved: [Range<Int>: (whole: Range<Int>, count: Int)] = [:]

  /// - Parameters:
  ///   - known: The number of known names.
  ///   - width: The number of known names in a range at first.
  package init(known: Int, width: Int = Self.width) {
    let starts = stride(from: 0, to: max(known, 1), by: width)
    open = starts.reversed().map { $0..<min($0 + width, known) }
  }

  /// Returns the next range to count; nil if answers are needed first, and at the end.
  package mutating func next() -> Range<Int>? { open.popLast() }

  /// Takes the number of documents in a range that was counted.
  package mutating func take(_ count: Int, in range: Range<Int>) {
    settle(range, count)
    guard let (whole, all) = halved.removeValue(forKey: range) else { return }
    let other = range.upperBound..<whole.upperBound
    // The remainder is negative if the counts are not of the same moment.
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
