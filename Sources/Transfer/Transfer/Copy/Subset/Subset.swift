/// A closed subset of a database: some documents, with everything that they refer to and that refers to them.
package struct Subset: Sendable {
  /// The documents that the subset starts from: the first documents of a collection that match a filter.
  package struct Root: Sendable {
    /// A path or a pattern.
    let collection: String
    package let filter: StructuredQuery.Filter?
    /// The maximum number of documents, in the order of the read; nil for all.
    let limit: Int?
    /// The root for messages and reports: as typed, but without the filter in a masked copy.
    let text: String
  }

  package let roots: [Root]
  /// Whether subcollections are included.
  package let isDeep: Bool
  package let settings: SubsetSettings
}

/// A subset of a database as specified on the command line or in a record.
package struct SubsetSettings: Codable, Sendable, Equatable {
  /// In which directions references are followed.
  package struct Follow: Codable, Sendable, Equatable {
    package var outwards = true
    package var inwards = false

    package init() {}

    /// Parses `out`, `in`, both separated by a comma, or `none`; returns nil for any other text.
    package init?(typed text: String) {
      let words = text == "none" ? [] : text.split(separator: ",", omittingEmptySubsequences: false)
      guard Set(words).count == words.count, words.allSatisfy({ ["out", "in"].contains($0) }) else {
        return nil
      }
      (outwards, inwards) = (words.contains("out"), words.contains("in"))
    }
  }

  /// The largest possible maximum of documents in a subset, because the state of each is kept in memory during the search.
  package static let greatest = 500_000

  /// The roots, in the syntax of ``SubsetRoot/init(typed:)``; sealed in the record of a masked copy.
  package var roots: [String]
  package var sample: SampleShare?
  package var follow = Follow()
  package var maximumDocuments = 10_000
  package var maximumFanIn = 1000

  package init(roots: [String]) { self.roots = roots }

  /// Resolves the settings to a subset.
  ///
  /// - Parameter hidesFilters: Whether messages and reports must not show the filters.
  /// - Throws: The errors of `filter`, which parses a filter.
  package func subset(
    isDeep: Bool,
    hidesFilters: Bool = false,
    _ filter: (String) throws -> StructuredQuery.Filter?
  ) throws -> Subset {
    let roots = try roots.enumerated().compactMap { index, typed -> Subset.Root? in
      guard let root = SubsetRoot(typed: typed) else { return nil }
      let filter = try root.filter.flatMap(filter)
      // Without their filters, roots may be alike.
      let number = self.roots.count > 1 ? " (\(index + 1))" : ""
      let text = hidesFilters ? SubsetRoot.withoutFilter(typed) + number : typed
      return Subset.Root(collection: root.collection, filter: filter, limit: root.limit, text: text)
    }
    return Subset(roots: roots, isDeep: isDeep, settings: self)
  }
}

/// The text `COLLECTION [where FILTER] [limit N]`.
package struct SubsetRoot: Sendable, Equatable {
  package let collection: String
  package let filter: String?
  package let limit: Int?

  /// Returns nil for any other text; neither the collection nor the filter is checked.
  package init?(typed text: String) {
    var words = text.utf8.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }[...]
    guard let first = words.popFirst() else { return nil }
    collection = String(Substring(first))
    let end = words.suffix(2).map { String(Substring($0)) }
    if end.count == 2, end[0] == "limit", end[1].utf8.allSatisfy(\.isASCIIDigit) {
      guard let limit = Int(end[1]) else { return nil }
      self.limit = limit
      words = words.dropLast(2)
    } else {
      limit = nil
    }
    if words.isEmpty {
      filter = nil
      return
    }
    guard words.removeFirst().elementsEqual("where".utf8), let start = words.first, let last = words.last
    else { return nil }
    filter = String(Substring(text.utf8[start.startIndex..<last.endIndex]))
  }

  /// Returns a text with its filter, if any, replaced by an ellipsis; any other text as it is.
  package static func withoutFilter(_ text: String) -> String {
    guard let root = SubsetRoot(typed: text), root.filter != nil else { return text }
    return "\(root.collection) where …\(root.limit.map { " limit \($0)" } ?? "")"
  }
}

/// A share of the documents, chosen by a checksum of their names, so that it is the same every time and in every database.
package struct SampleShare: Codable, Sendable, Equatable {
  private static let whole: UInt64 = 1_000_000

  private let millionths: UInt64

  /// Parses a percentage above 0 with up to 4 decimals, such as `0.5%`; returns nil for any other text.
  package init?(typed text: String) {
    guard text.utf8.last == UInt8(ascii: "%") else { return nil }
    let parts = text.utf8.dropLast().split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count <= 2, parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy(\.isASCIIDigit) }),
      let percent = parts.first, percent.count <= 3
    else { return nil }
    let decimals = parts.count == 2 ? Array(parts[1]) : []
    guard decimals.count <= 4 else { return nil }
    let digits = Array(percent) + decimals + Array(repeating: UInt8(ascii: "0"), count: 4 - decimals.count)
    guard let number = UInt64(String(decoding: digits, as: UTF8.self)), (1...Self.whole).contains(number)
    else { return nil }
    millionths = number
  }

  /// Whether a document is in the share: the first 8 bytes of the SHA-256 of its name, as a number, are below the share of
  /// 2^64.
  ///
  /// - Throws: The errors of ``SHA256Digest/init()``.
  package func contains(_ path: DocumentPath) throws(Failure) -> Bool {
    var digest = try SHA256Digest()
    Array(path.string.utf8).withUnsafeBytes { digest.update($0) }
    let head = digest.finishBytes().prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return head.multipliedFullWidth(by: Self.whole).high < millionths
  }
}
