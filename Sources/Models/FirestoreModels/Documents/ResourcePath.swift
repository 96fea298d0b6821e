/// The path of a document below its database: `users/u1`, `groups/g1/members/m1`.
///
/// Equality and order are the service's: by bytes, segment by segment, numeric IDs (`__id7__`) first.
///
///     let member = DocumentPath("groups/g1/members/m1")
///     member?.id                   // m1
///     member?.collection.string    // groups/g1/members
///     member?.collection.parent    // groups/g1
///     DocumentPath("groups/g1/members")    // nil: a collection
public struct DocumentPath: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The path as text; segments contain no slash, so it is unambiguous.
  public let string: String

  /// Parses a path with an even number of non-empty segments; nil for other text.
  ///
  /// The limits of IDs are not checked, because responses are read leniently; see ``PathLimits``.
  public init?(_ string: String) {
    guard let count = segmentCount(of: string), count % 2 == 0 else { return nil }
    self.string = string
  }

  /// The path of a document in a collection.
  public init(_ collection: CollectionPath, _ id: String) { string = "\(collection.string)/\(id)" }

  /// The document ID: the last segment.
  public var id: String { lastSegment(of: string) }

  /// The collection that contains the document.
  public var collection: CollectionPath {
    let collection = string.withBytes { path in
      path.lastIndex(of: slash).map { String(decoding: path[..<$0], as: UTF8.self) }
    }
    return CollectionPath(unchecked: collection ?? string)
  }

  /// Whether the document is directly in a collection, not in a subcollection below it.
  public func isIn(_ collection: CollectionPath) -> Bool {
    let isIn = string.utf8.withContiguousStorageIfAvailable { path in
      collection.string.utf8.withContiguousStorageIfAvailable { path.isChild(of: $0) }
    }
    return isIn.flatMap { $0 } ?? (self.collection == collection)
  }

  /// The segments: collection IDs and document IDs, alternating.
  public var segments: [String] { string.utf8.split(separator: slash).map { String(Substring($0)) } }

  /// The path as text.
  public var description: String { string }

  /// Whether both have the same UTF-8 bytes.
  public static func == (a: DocumentPath, b: DocumentPath) -> Bool { a.string.isIdentical(to: b.string) }

  /// Hashes the UTF-8 bytes.
  public func hash(into hasher: inout Hasher) { UTF8Key(string).hash(into: &hasher) }

  /// Orders as the service does.
  public static func < (a: DocumentPath, b: DocumentPath) -> Bool { compareSegments(a.string, b.string) < 0 }
}

extension UnsafeBufferPointer<UInt8> {
  /// Whether this is the path of a document directly in a collection.
  fileprivate func isChild(of collection: UnsafeBufferPointer<UInt8>) -> Bool {
    guard count > collection.count, self[collection.count] == slash, let base = baseAddress else {
      return false
    }
    return collection.hasSameBytes(as: base) && position(of: slash, from: collection.count + 1) == nil
  }
}

/// The path of a collection below its database: `users`, `groups/g1/members`.
public struct CollectionPath: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The path as text.
  public let string: String

  /// Parses a path with an odd number of non-empty segments; nil for other text.
  public init?(_ string: String) {
    guard let count = segmentCount(of: string), count % 2 == 1 else { return nil }
    self.string = string
  }

  /// The path of a subcollection, or of a root collection if `parent` is nil.
  public init(_ parent: DocumentPath?, _ id: String) {
    string = parent.map { "\($0.string)/\(id)" } ?? id
  }

  init(unchecked string: String) { self.string = string }

  /// The collection ID: the last segment, which names the collection group.
  public var id: String { lastSegment(of: string) }

  /// The path with `*` in place of every document ID: `groups/*/members`.
  package var pattern: CollectionPath {
    if !string.utf8.contains(slash) { return self }
    var segments = string.utf8.split(separator: slash).map { String(Substring($0)) }
    for index in segments.indices where index % 2 == 1 { segments[index] = "*" }
    return CollectionPath(unchecked: segments.joined(separator: "/"))
  }

  /// The root collection at or above this path.
  package var root: CollectionPath {
    var path = self
    while let parent = path.parent?.collection { path = parent }
    return path
  }

  /// The parent document; nil for a root collection.
  public var parent: DocumentPath? {
    string.utf8.lastIndex(of: slash).flatMap { DocumentPath(String(string[..<$0])) }
  }

  /// The path as text.
  public var description: String { string }

  /// Whether both have the same UTF-8 bytes.
  public static func == (a: CollectionPath, b: CollectionPath) -> Bool { a.string.isIdentical(to: b.string) }

  /// Hashes the UTF-8 bytes.
  public func hash(into hasher: inout Hasher) { UTF8Key(string).hash(into: &hasher) }

  /// Orders as the service does.
  public static func < (a: CollectionPath, b: CollectionPath) -> Bool {
    compareSegments(a.string, b.string) < 0
  }
}

private let slash = UInt8(ascii: "/")

private func lastSegment(of path: String) -> String {
  path.withBytes { bytes in
    bytes.lastIndex(of: slash).map { String(decoding: bytes[($0 + 1)...], as: UTF8.self) }
  } ?? path
}

/// The number of segments; nil if one is empty.
private func segmentCount(of path: String) -> Int? {
  path.withBytes { path in
    var (count, start) = (1, 0)
    while let end = path.position(of: slash, from: start) {
      if end == start { return nil }
      count += 1
      start = end + 1
    }
    return start == path.count ? nil : count
  }
}

/// Compares two paths segment by segment.
///
/// A slash sorts below every byte of an ID, and numeric IDs sort first.
func compareSegments(_ a: String, _ b: String) -> Int {
  a.withBytes { left in
    b.withBytes { right in
      // All segments before the first differing byte are equal, so one segment decides.
      let index = left.commonPrefix(with: right)
      if index == left.count && index == right.count { return 0 }
      let start = left[..<index].lastIndex(of: slash).map { $0 + 1 } ?? 0
      func segment(_ path: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(rebasing: path[start..<(path.position(of: slash, from: index) ?? path.count)])
      }
      let order = ResourceID.compare(segment(left), segment(right))
      return order == 0 ? left.count - right.count : order
    }
  }
}

/// An ID within a path.
public enum ResourceID {
  /// The number of a numeric ID, written `__id7__` (as in Datastore); nil for other IDs, as `__id07__` and `__id0__`.
  public static func number(_ id: String) -> Int64? { id.withBytes { number($0) } }

  static func number(_ id: UnsafeBufferPointer<UInt8>) -> Int64? {
    guard id.count > 6, id.starts(with: "__id".utf8), id.suffix(2).elementsEqual("__".utf8) else {
      return nil
    }
    let number = id.dropFirst(4).dropLast(2)
    let first = number.first == UInt8(ascii: "-") ? number.dropFirst().first : number.first
    guard let first, first.isASCIIDigit, first != UInt8(ascii: "0") else { return nil }
    return Int64(String(decoding: number, as: UTF8.self))
  }

  /// Compares two IDs: numeric ones first, by number, then the others by bytes.
  static func compare(_ a: UnsafeBufferPointer<UInt8>, _ b: UnsafeBufferPointer<UInt8>) -> Int {
    switch (number(a), number(b)) {
    case (let x?, let y?): x < y ? -1 : x > y ? 1 : 0
    case (_?, nil): -1
    case (nil, _?): 1
    case (nil, nil): a.compare(b)
    }
  }
}

/// Percent encoding of URLs.
public enum PercentEncoding {
  /// Appends a path, encoding all but `[-_.~0-9A-Za-z]` and the slashes between segments, as
  /// `google.api.HttpRule` defines for multi-segment variables.
  public static func appendPath(_ path: String, to out: inout String) {
    append(path, keepingSlashes: true, to: &out)
  }

  /// Encodes the name or value of a query parameter.
  public static func query(_ text: String) -> String {
    var out = ""
    append(text, keepingSlashes: false, to: &out)
    return out
  }

  /// Decodes the escapes of a text, except for those of one character; nil if one is malformed.
  package static func decoded(_ text: [UInt8], keeping kept: UInt8? = nil) -> [UInt8]? {
    var out: [UInt8] = []
    out.reserveCapacity(text.count)
    var bytes = text.makeIterator()
    while let byte = bytes.next() {
      guard byte == UInt8(ascii: "%") else {
        out.append(byte)
        continue
      }
      guard let high = bytes.next(), let low = bytes.next(), let upper = high.hexadecimalDigit,
        let lower = low.hexadecimalDigit
      else { return nil }
      let value = UInt8(upper << 4 | lower)
      out += value == kept ? [byte, high, low] : [value]
    }
    return out
  }

  private static func append(_ text: String, keepingSlashes: Bool, to out: inout String) {
    let digits = Array("0123456789ABCDEF".unicodeScalars)
    for byte in text.utf8 {
      switch byte {
      case _ where byte.isASCIILetterOrDigit || "-_.~".utf8.contains(byte):
        out.unicodeScalars.append(Unicode.Scalar(byte))
      case slash where keepingSlashes:
        out.unicodeScalars.append("/")
      default:
        out.unicodeScalars.append("%")
        out.unicodeScalars.append(digits[Int(byte >> 4)])
        out.unicodeScalars.append(digits[Int(byte & 15)])
      }
    }
  }
}
