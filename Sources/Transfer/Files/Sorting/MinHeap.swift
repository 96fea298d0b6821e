/// A binary heap, which gives access to its least element.
package struct MinHeap<Element: Comparable> {
  private var elements: [Element] = []

  package init() {}

  /// The least element; nil if there is none.
  package var first: Element? { elements.first }

  package mutating func insert(_ element: Element) {
    elements.append(element)
    var child = elements.count - 1
    while child > 0, elements[child] < elements[(child - 1) / 2] {
      elements.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  /// Removes the least element, and inserts another one in its place unless that is nil.
  package mutating func replaceFirst(by element: Element?) {
    guard let filling = element ?? elements.popLast() else { return }
    if elements.isEmpty { return }
    elements[0] = filling
    var parent = 0
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2]
      where child < elements.count && elements[child] < elements[least] { least = child }
      if least == parent { return }
      elements.swapAt(parent, least)
      parent = least
    }
  }
}
