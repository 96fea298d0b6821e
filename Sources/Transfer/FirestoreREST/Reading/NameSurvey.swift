/// Estimates how the IDs of a collection are distributed, from a few short queries, and splits it into parts of about equal
/// size.
///
/// A query at an arbitrary ID returns the next few IDs, and their range shows how dense the IDs are there. If an estimate
/// puts many documents between two queries, the next query is made in between. The estimate only decides how equal the
/// parts are: wherever the cuts are, the parts cover every ID. The type is pure: it takes results and returns the next IDs
/// to query.
struct NameSurvey: Sendable {
  private struct Look: Sendable {
    /// The ID that the query started at; empty for the beginning.
    var start: String
    /// The IDs of the next documents; an ID repeats if there are documents below it.
    var ids: [String]
    /// Whether there are no further documents.
    var isLast: Bool
    /// Whether nothing can be learned from a query between this one and the next.
    var isSettled = false
  }

  /// The documents between the start of a query and the next query: their number, estimated or exact.
  private typealias Part = (count: Double, isExact: Bool)

  /// The number of documents that each query requests.
  static let sampleSize = 12

  /// The maximum number of queries in a survey.
  static func mostQueries(for parts: Int) -> Int { parts * 4 + 40 }

  /// The search for the last IDs: finds the largest character that an ID begins with, then the largest one after that, and
  /// so on.
  private struct EndSearch: Sendable {
    /// The characters found so far; those beyond ASCII are found as one.
    var prefix = ""
    /// IDs continue with this character, or none is known to; none continues with `high` or above.
    var low: UInt8 = 0x20
    var high: UInt8 = 0x7F
    /// The character in between that was queried.
    var middle: UInt8?

    var start: String? { middle.map { prefix + String(UnicodeScalar($0)) } }
  }

  /// The number of characters of the last IDs that are searched for.
  private static let endLength = 3

  private var scale = NameScale()
  private var search: EndSearch? = EndSearch()
  /// The results, in the order of their starts.
  private var looks: [Look] = []

  /// Records the result of a query for ``sampleSize`` documents.
  mutating func add(_ start: String, _ ids: [String], isLast: Bool) {
    scale.learn(Set(ids))
    if let middle = search?.middle, search?.start?.isIdentical(to: start) ?? false {
      if ids.isEmpty { search?.high = middle } else { search?.low = middle }
      search?.middle = nil
    }
    let look = Look(start: start, ids: ids, isLast: isLast)
    let index = looks.firstIndex { $0.start.compareUTF8(start) >= 0 } ?? looks.endIndex
    if index < looks.endIndex, looks[index].start.isIdentical(to: start) {
      looks[index] = look
    } else {
      looks.insert(look, at: index)
    }
  }

  /// The estimated number of documents.
  var count: Double { parts.reduce(0) { $0 + $1.count } }

  private var parts: [Part] { looks.indices.map { part($0) } }

  private func part(_ index: Int) -> Part {
    let look = looks[index]
    let next = index + 1 < looks.count ? looks[index + 1].start : nil
    let before = next.map { next in look.ids.prefix { $0.compareUTF8(next) < 0 } } ?? look.ids[...]
    if look.isLast || before.count < look.ids.count || look.ids.isEmpty {
      return (Double(before.count), true)
    }
    guard let next, let last = look.ids.last, let gap = gap(look.ids) else {
      return (Double(look.ids.count) * 2, false)
    }
    let rest = max(0, scale.number(of: next) - scale.number(of: last))
    return (Double(look.ids.count) + Double(rest) / gap, false)
  }

  /// Returns the typical distance between the IDs of a query; nil if there are too few to tell.
  ///
  /// It is the median, because one of the distances may be a gap of any size. IDs that happen to be close together lead to
  /// an overestimate, which the next query corrects; an underestimate would not be queried again.
  private func gap(_ ids: [String]) -> Double? {
    let numbers = ids.map { scale.number(of: $0) }
    let gaps = zip(numbers, numbers.dropFirst()).map { $1 - $0 }.filter { $0 > 0 }.sorted()
    return gaps.count < 2 ? nil : Double(gaps[gaps.count / 2])
  }

  // MARK: Where to look

  /// Returns the IDs to query next; empty if the parts can be split well enough.
  ///
  /// - Parameters:
  ///   - parts: The desired number of parts.
  ///   - limit: The maximum number of queries.
  mutating func next(parts wanted: Int, limit: Int) -> [String] {
    guard let first = looks.first else { return [""] }
    if first.isLast { return [] }
    if let start = nextOfSearch() { return [start] }
    let parts = parts
    let enough = parts.reduce(0) { $0 + $1.count } / Double(max(1, wanted) * 3)
    let open = looks.indices.filter { index in
      !parts[index].isExact && !looks[index].isSettled && parts[index].count > enough
    }
    var starts: [String] = []
    for index in open.sorted(by: { parts[$0].count > parts[$1].count }) where starts.count < limit {
      if let start = middle(of: index) { starts.append(start) } else { looks[index].isSettled = true }
    }
    return starts
  }

  /// Returns the next ID in the search for the last IDs; nil once they are found.
  private mutating func nextOfSearch() -> String? {
    while var current = search {
      if current.high - current.low > 1 {
        current.middle = current.low + (current.high - current.low) / 2
        guard let start = current.start else { return nil }
        if DocumentPath.isUsableID(start) {
          search = current
          return start
        }
        // A query cannot start there, so the one above it decides.
        current.low = current.middle ?? current.high
        current.middle = nil
        search = current
      } else {
        let isFound = current.low > 0x20
        let prefix = current.prefix + String(UnicodeScalar(current.low))
        search = isFound && prefix.utf8.count < Self.endLength ? EndSearch(prefix: prefix) : nil
      }
    }
    return nil
  }

  private func lies(_ id: String, behind index: Int) -> Bool {
    looks[index].start.compareUTF8(id) < 0
      && (index + 1 == looks.count || id.compareUTF8(looks[index + 1].start) < 0)
  }

  /// Returns the ID in the middle between the last known document of a query and the next query; nil if there is none.
  private func middle(of index: Int) -> String? {
    guard let last = looks[index].ids.last, index + 1 < looks.count else { return nil }
    let (low, high) = (scale.number(of: last), scale.number(of: looks[index + 1].start))
    guard high - low > 1, let id = scale.id(of: low + (high - low) / 2), DocumentPath.isUsableID(id),
      lies(id, behind: index), id.compareUTF8(last) > 0
    else { return nil }
    return id
  }

  // MARK: Cuts

  /// Returns the IDs that begin the second and each further part, in order; fewer if there are not enough documents.
  func cuts(into wanted: Int) -> [String] {
    let parts = parts
    let total = parts.reduce(0) { $0 + $1.count }
    var cuts: [String] = []
    var index = 0
    var before = 0.0
    for number in 1..<max(1, wanted) {
      let target = total * Double(number) / Double(wanted)
      while index < parts.count, before + parts[index].count <= target {
        before += parts[index].count
        index += 1
      }
      guard index < parts.count else { break }
      let cut = id(target - before, of: parts[index].count, in: index)
      // A part before the first document would be empty.
      let last = cuts.last ?? looks.first?.ids.first ?? ""
      guard let cut, DocumentPath.isUsableID(cut), last.compareUTF8(cut) < 0 else { continue }
      cuts.append(cut)
    }
    return cuts
  }

  /// Returns the ID before which about the given number of documents lie, counted from the start of a query.
  private func id(_ offset: Double, of count: Double, in index: Int) -> String? {
    let look = looks[index]
    let position = Int(offset.rounded())
    if position < look.ids.count { return look.ids[position] }
    guard let last = look.ids.last, index + 1 < looks.count else { return nil }
    let (low, high) = (scale.number(of: last), scale.number(of: looks[index + 1].start))
    let share = (offset - Double(look.ids.count)) / max(1, count - Double(look.ids.count))
    let distance = Double(max(0, high - low)) * share
    guard let id = scale.id(of: low + Int(clamping: distance)), lies(id, behind: index) else { return last }
    return id
  }
}

extension DocumentPath {
  /// Whether a text can be the ID of a document at which a query starts.
  static func isUsableID(_ text: String) -> Bool {
    !text.isEmpty && text != "." && text != ".." && !text.hasPrefix("__")
      && !text.utf8.contains(UInt8(ascii: "/"))
  }
}

/// What is known of the names of a read, for splitting it into parts.
package struct ReadSurvey: Sendable {
  private enum Knowledge {
    case names(NameSurvey, CollectionPath)
    case partitions([DocumentPath])
    case nothing
  }

  private let knowledge: Knowledge

  /// The minimum estimated number of documents in a part.
  private static let leastOfPart = 50.0

  /// The estimated number of documents; nil if there is no estimate.
  package var estimate: Double? {
    if case .names(let survey, _) = knowledge { survey.count } else { nil }
  }

  package var canCut: Bool {
    if case .nothing = knowledge { false } else { true }
  }

  /// Returns names that split the read into parts of about equal size, sorted; fewer if it is small.
  package func cuts(into parts: Int) -> [DocumentPath] {
    switch knowledge {
    case .nothing: return []
    case .names(let survey, let collection):
      let most = max(1, Int(clamping: survey.count / Self.leastOfPart))
      return survey.cuts(into: min(parts, most)).map { DocumentPath(collection, $0) }
    case .partitions(let names):
      if names.count < parts { return names }
      return (1..<max(1, parts)).map { names[$0 * names.count / parts] }
    }
  }

  fileprivate init(_ survey: NameSurvey, _ collection: CollectionPath) {
    knowledge = .names(survey, collection)
  }

  fileprivate init(_ partitions: [DocumentPath]?) {
    knowledge = partitions.map { .partitions($0) } ?? .nothing
  }
}

extension FirestoreClient {
  /// Surveys the names of a read, in order to split it into parts of about equal size.
  ///
  /// Collection groups and patterns are split by the service (`partitionQuery`), if it can do that. A collection, with or
  /// without its subcollections, is split at IDs of its own documents, which are found by about four queries of a few names
  /// per part. The filter of the read is ignored.
  ///
  /// - Parameter parts: The maximum number of parts.
  /// - Throws: ``Failure``.
  package func survey(of read: CollectionRead, parts: Int) async throws -> ReadSurvey {
    guard parts > 1, read.isOrderedByName else { return ReadSurvey(nil) }
    switch read.reach {
    case .group, .pattern:
      let names = try await partitions(ofGroup: read.collection.id, atMost: parts - 1, at: read.readTime)
      let root = CollectionPattern(read.collection).root
      return ReadSurvey(
        names?.filter { read.reach == .group || $0.string.utf8.starts(with: "\(root.string)/".utf8) }
      )
    case .collection: return ReadSurvey(try await survey(read, parts: parts), read.collection)
    case .subcollections:
      // Its own documents are used if there are any: the IDs within one subcollection after the other would pass for a
      // cluster of names.
      var own = read
      own.reach = .collection
      let survey = try await survey(own, parts: parts)
      if survey.count > 0 { return ReadSurvey(survey, read.collection) }
      return ReadSurvey(try await self.survey(read, parts: parts), read.collection)
    }
  }

  private func survey(_ read: CollectionRead, parts: Int) async throws -> NameSurvey {
    var survey = NameSurvey()
    var left = NameSurvey.mostQueries(for: parts)
    while left > 0 {
      let starts = survey.next(parts: parts, limit: min(16, left))
      if starts.isEmpty { break }
      left -= starts.count
      let looks = try await starts.concurrentMap { try await self.look(at: $0, in: read) }
      for (start, look) in zip(starts, looks) { survey.add(start, look.ids, isLast: look.isLast) }
    }
    return survey
  }

  /// Reads the IDs of the next documents, starting at an ID.
  private func look(at start: String, in read: CollectionRead) async throws -> (ids: [String], isLast: Bool) {
    var look = CollectionRead(read.collection, pageSize: NameSurvey.sampleSize, mask: [.documentName])
    (look.reach, look.readTime, look.readsAhead) = (read.reach, read.readTime, false)
    look.startAt = start.isEmpty ? nil : DocumentPath(read.collection, start)
    var pages = pages(of: look).makeAsyncIterator()
    let page = try await pages.next() ?? []
    let ids = page.compactMap { $0.path.id(below: read.collection) }
    return (ids, ids.count < NameSurvey.sampleSize)
  }
}
