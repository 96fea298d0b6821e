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

  /// Returns the indices of elements, each with that of its old one, which is no other's from now on: first of those that have
  /// most members in common.
  ///
  /// - Parameter isMoved: Whether the places of elements say little, because others were removed or added; nil if they say nothing,
  ///   and an element that may as well have been another one is none.
  mutating func take(for elements: [(index: Int, json: JSONCursor)], isMoved: Bool?) -> [(Int, Int)] {
    var (found, open) = ([(Int, Int)](), Set(elements.map(\.index)))
    var rounds = Dictionary(grouping: elements) { best(for: $0, alike($0.json), isMoved)?.count ?? 0 }
    for count in stride(from: rounds.keys.max() ?? 0, to: 0, by: -1) {
      for element in rounds[count] ?? [] {
        let alike = alike(element.json)
        let best = best(for: element, alike, isMoved)
        guard let best, best.count == count else {
          rounds[best?.count ?? 0, default: []].append(element)
          continue
        }
        if isMoved != false, best.rivals.contains(where: { areMistakable(best.place, $0, alike) }) {
          isAmbiguous = true
          if isMoved == nil { continue }
        }
        left.remove(best.place)
        open.remove(element.index)
        found.append((element.index, best.place))
      }
    }
    for (index, _) in elements where isMoved != nil && open.contains(index) && left.contains(index) {
      left.remove(index)
      found.append((index, index))
    }
    return found
  }

  /// Returns the old element with most members in common, among equals that in the same place, then the first.
  private func best(
    for element: (index: Int, json: JSONCursor),
    _ alike: [(name: String, places: [Int])],
    _ isMoved: Bool?
  ) -> (place: Int, count: Int, rivals: [Int])? {
    var counts: [Int: Int] = [:]
    for place in alike.flatMap(\.places) where left.contains(place) { counts[place, default: 0] += 1 }
    guard let count = counts.values.max() else { return nil }
    let equals = counts.filter { $0.value == count }.keys
    let isSame = isMoved != nil && equals.contains(element.index)
    guard let place = isSame ? element.index : equals.min() else { return nil }
    return (place, count, equals.filter { $0 != place })
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
