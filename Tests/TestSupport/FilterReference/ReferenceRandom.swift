/// Random numbers that a seed determines, on every platform alike.
struct ReferenceRandom: RandomNumberGenerator, Sendable {
  private var bits: SplitMix64

  init(seed: UInt64) {
    bits = SplitMix64(seed: seed)
  }

  mutating func next() -> UInt64 { bits.next() }

  /// A number in 0..<bound.
  mutating func below(_ bound: Int) -> Int {
    Int(next() % UInt64(bound))
  }

  /// A number of the range.
  mutating func among(_ range: ClosedRange<Int>) -> Int {
    range.lowerBound + below(range.count)
  }

  /// True in so many of a hundred cases.
  mutating func percent(_ share: Int) -> Bool {
    below(100) < share
  }

  /// One of the elements, of which there must be some.
  mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[below(elements.count)]
  }

  /// So many of the elements, or all where there are fewer, each at most once, in random order.
  mutating func sample<Element>(_ elements: [Element], _ count: Int) -> [Element] {
    Array(shuffled(elements).prefix(count))
  }

  /// The elements in random order.
  mutating func shuffled<Element>(_ elements: [Element]) -> [Element] {
    var result = elements
    for index in stride(from: result.count - 1, to: 0, by: -1) {
      result.swapAt(index, below(index + 1))
    }
    return result
  }
}
