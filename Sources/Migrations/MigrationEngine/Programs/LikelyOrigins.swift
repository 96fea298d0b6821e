import Tables

/// Finds the old element that a changed element of an array probably was, so that its untouched members keep their types.
///
/// That is the map with which an object has most members in common, else the element in the same place.
struct LikelyOrigins {
  private struct Member: Hashable {
    var name: UTF8Key
    var value: PlainKey
  }

  /// A member that more elements share tells them hardly apart, and would take long.
  private static let maximumShared = 100

  private let original: [Value]
  private var left: Set<Int>
  private var places: [Member: [Int]] = [:]
  /// Whether an element may as well have been another one, of which a member that looks the same has another value.
  private(set) var isAmbiguous = false

  /// - Parameter indices: Those of the old elements that did not come back unchanged.
  init(of indices: [Int], in original: [Value]) {
    self.original = original
    left = Set(indices)
    for index in indices {
      guard let fields = original[index].map, fields.vector == nil else { continue }
      for entry in fields.entries {
        places[Member(name: UTF8Key(entry.name), value: PlainKey(entry.value, .rounded)), default: []].append(
          index
        )
      }
    }
  }

  /// Returns the index of the old element, which is no other's from now on; nil if there is none.
  ///
  /// - Parameter isMoved: Whether the place of the element says little, because others were removed or added.
  mutating func take(for element: JSONCursor, at index: Int, isMoved: Bool) -> Int? {
    let alike = alike(element)
    var counts: [Int: Int] = [:]
    for place in alike.flatMap(\.places) where left.contains(place) { counts[place, default: 0] += 1 }
    // Among equals the same place, then the first.
    let best = counts.max {
      ($0.value, $0.key == index ? 1 : 0, -$0.key) < ($1.value, $1.key == index ? 1 : 0, -$1.key)
    }
    guard let place = best?.key ?? (left.contains(index) ? index : nil) else { return nil }
    if isMoved, counts[place] != nil {
      let rivals = counts.filter { $0.value == counts[place] && $0.key != place }.keys
      isAmbiguous = isAmbiguous || rivals.contains { areMistakable(place, $0, alike) }
    }
    left.remove(place)
    return place
  }

  /// The members of an element that old ones have by their look, with the indices of these.
  private func alike(_ element: JSONCursor) -> [(name: String, places: [Int])] {
    guard element.kind == .object else { return [] }
    return element.members.compactMap { name, value in
      let member = Member(name: UTF8Key(name.string), value: PlainKey(value, .rounded))
      guard let shared = places[member], shared.count <= Self.maximumShared else { return nil }
      return (name.string, shared)
    }
  }

  /// Whether a member of an element looks like that of two old ones, which have distinct values there.
  private func areMistakable(_ place: Int, _ rival: Int, _ alike: [(name: String, places: [Int])]) -> Bool {
    alike.contains { name, places in
      places.contains(place) && places.contains(rival)
        && original[place].map?[name] != original[rival].map?[name]
    }
  }
}
