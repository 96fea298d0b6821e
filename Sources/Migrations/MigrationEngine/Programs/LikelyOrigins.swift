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

  private var left: Set<Int>
  private var places: [Member: [Int]] = [:]

  /// - Parameter indices: Those of the old elements that did not come back unchanged.
  init(of indices: [Int], in original: [Value]) {
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
  mutating func take(for element: JSONCursor, at index: Int) -> Int? {
    var counts: [Int: Int] = [:]
    if element.kind == .object {
      for (name, value) in element.members {
        let member = Member(name: UTF8Key(name.string), value: PlainKey(value, .rounded))
        guard let shared = places[member], shared.count <= Self.maximumShared else { continue }
        for place in shared where left.contains(place) { counts[place, default: 0] += 1 }
      }
    }
    // Among equals the same place, then the first.
    let best = counts.max {
      ($0.value, $0.key == index ? 1 : 0, -$0.key) < ($1.value, $1.key == index ? 1 : 0, -$1.key)
    }
    guard let place = best?.key ?? (left.contains(index) ? index : nil) else { return nil }
    left.remove(place)
    return place
  }
}
