extension Range where Bound: FixedWidthInteger {
  /// Returns the first number for which `holds` is true, if it is so for all behind it; the upper bound if it is for none.
  @inlinable
  @inline(__always)
  package func firstNumber(where holds: (Bound) -> Bool) -> Bound {
    var (low, high) = (lowerBound, upperBound)
    while low < high {
      let middle = low + (high - low) / 2
      if holds(middle) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
