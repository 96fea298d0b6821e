/// Finds documents that occur more than once among any number of them, in constant memory.
///
/// Paths are compared by a ``KeyedHash``.
///
///     var search = DuplicateSearch()
///     try search.add(path, at: DuplicateSearch.Place(file: 0, line: 1))
///     try search.forEachPair { earlier, later in … }
package struct DuplicateSearch: ~Copyable {
  /// A line or row of one of several files.
  package struct Place: Sendable, Equatable, Comparable {
    package let file: Int
    package let line: Int

    package init(file: Int, line: Int) { (self.file, self.line) = (file, line) }

    fileprivate init(_ number: UInt64) {
      self.init(file: Int(number >> Self.lineBits), line: Int(number & (1 << Self.lineBits - 1)))
    }

    /// A number that sorts in the order of places.
    fileprivate var number: UInt64 {
      UInt64(truncatingIfNeeded: file) << Self.lineBits | UInt64(truncatingIfNeeded: line)
    }

    package static func < (a: Place, b: Place) -> Bool { a.number < b.number }

    /// A file with a thousand thousand million lines would take a terabyte for line ends alone.
    private static let lineBits: UInt64 = 40
  }

  private var records = DiskSort<NumberRecord>()

  package init() {}

  /// Adds a document with its place.
  ///
  /// - Throws: `.cannotWrite`.
  package mutating func add(_ path: DocumentPath, at place: Place) throws(Failure) {
    try records.add(NumberRecord(KeyedHash(path), place.number))
  }

  /// Calls `body` with each place of a document and the next place of the same document.
  ///
  /// A document that occurs three times results in two pairs.
  ///
  /// - Throws: `.cannotWrite`; the errors of `body`.
  package consuming func forEachPair(_ body: (Place, Place) throws(Failure) -> Void) throws(Failure) {
    var sorted = try records.sorted()
    var last: NumberRecord?
    while let record = try sorted.next() {
      if let last, last.hasHash(of: record) {
        try body(Place(last.third), Place(record.third))
      }
      last = record
    }
  }
}

/// Places that are looked up in order, in constant memory.
///
///     let places = PlaceList()
///     try places.insert(place)
///     try places.contains(place)    // true; places before it can no longer be looked up
package final class PlaceList {
  private var unsorted: DiskSort<NumberRecord>? = DiskSort()
  private var sorted: SortedRecords<NumberRecord>?
  private var next: NumberRecord?
  /// Whether no place was added.
  package private(set) var isEmpty = true

  package init() {}

  /// Adds a place, which has to happen before the first lookup; it may be added several times.
  ///
  /// - Throws: `.cannotWrite`.
  package func insert(_ place: DuplicateSearch.Place) throws(Failure) {
    try unsorted?.add(NumberRecord(place.number, 0, 0))
    isEmpty = false
  }

  /// Whether a place was added; it must not come before the place that was looked up last.
  ///
  /// - Throws: `.cannotWrite`.
  package func contains(_ place: DuplicateSearch.Place) throws(Failure) -> Bool {
    if let unsorted = unsorted.take() {
      sorted = try unsorted.sorted()
      next = try sorted?.next()
    }
    while let record = next, record.first < place.number { next = try sorted?.next() }
    return next?.first == place.number
  }
}
