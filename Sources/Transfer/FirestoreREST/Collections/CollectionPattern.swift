/// A collection path in which `*` matches any document ID, such as `groups/*/members`; a collection's name may also be `*`.
package struct CollectionPattern: Sendable, Equatable {
  /// The pattern as text; a path without `*` matches only itself.
  package let path: CollectionPath
  /// Its segments; nil matches any.
  private let segments: [[UInt8]?]

  package init(_ path: CollectionPath) {
    self.path = path
    segments = path.string.utf8.split(separator: Self.slash).enumerated().map { index, name in
      index % 2 == 1 && name.elementsEqual(Self.star) ? nil : Array(name)
    }
  }

  /// The collection before the first `*`, which contains everything that matches.
  package var root: CollectionPath {
    guard let at = segments.firstIndex(of: nil) else { return path }
    let names = segments[..<at].compactMap { $0.map { String(decoding: $0, as: UTF8.self) } }
    return CollectionPath(names.joined(separator: "/")) ?? path
  }

  /// Whether it contains a `*`.
  package var isOpen: Bool { segments.contains(nil) }

  /// Whether a document is in a matching collection or, if `isDeep`, anywhere below one.
  package func contains(_ document: DocumentPath, isDeep: Bool = false) -> Bool {
    let found = document.string.utf8.split(separator: Self.slash)
    return (isDeep ? found.count > segments.count : found.count == segments.count + 1) && begins(found)
  }

  /// Returns the pattern of the collections of a kind that are below matching ones; nil if there can be none.
  ///
  /// Of the kind `groups/*/members/*/notes`, these are `groups/g1/members/*/notes` below `groups/g1/members`.
  package func below(_ kind: CollectionPath) -> CollectionPath? {
    let others = CollectionPattern(kind).segments
    let canMatch = zip(segments, others).allSatisfy { $0 == nil || $1 == nil || $0 == $1 }
    guard canMatch, others.count > segments.count else { return nil }
    let rest = others.dropFirst(segments.count).map { String(decoding: $0 ?? Self.star, as: UTF8.self) }
    return CollectionPath(([path.string] + rest).joined(separator: "/"))
  }

  /// Whether the first segments of a path match.
  private func begins(_ path: [Substring.UTF8View]) -> Bool {
    zip(segments, path).allSatisfy { segment, name in segment.map { name.elementsEqual($0) } ?? true }
  }

  private static let slash = UInt8(ascii: "/")
  private static let star = [UInt8(ascii: "*")]
}

/// The conditions that a read evaluates on the client.
struct ReadSelection: Sendable {
  var pattern: CollectionPattern?
  var filter: DocumentFilter?
  var isDeep = false

  func contains(_ document: RawDocument) -> Bool {
    (pattern?.contains(document.path, isDeep: isDeep) ?? true) && (filter?.matches(document) ?? true)
  }
}
