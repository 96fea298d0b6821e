import Synchronization

/// What a page token stands for.
struct PageToken: Sendable {
  /// The path and every parameter but the page's size, as they were in the request before.
  var request: String
  /// How many pages came before.
  var page: Int
  /// The place of the last entry that was given, nil if none was yet.
  var after: ByteString?
}

/// A page of something sorted.
struct MiniPage<Entry> {
  var entries: [Entry]
  var nextToken: ByteString?
}

extension MiniFirestore {
  static let defaultPage = 20
  static let largestPage = 300

  /// Cuts a page out of the entries, as short or empty as a page may be.
  ///
  /// - Parameters:
  ///   - token: The token as the client sent it, nil for the first page.
  ///   - fingerprint: Everything that must be the same for every page.
  ///   - all: The entries in order.
  ///   - key: What a token remembers of an entry.
  ///   - isAfter: Whether an entry comes after the one with this key.
  func page<Entry>(
    token: ByteString?,
    size: Int?,
    fingerprint: String,
    of all: [Entry],
    key: (Entry) -> ByteString,
    isAfter: (Entry, ByteString) -> Bool
  ) throws -> MiniPage<Entry> {
    var place = PageToken(request: fingerprint, page: 0, after: nil)
    if let token, !token.isEmpty {
      guard let known = state.withLock({ $0.pageTokens[token] }),
        known.request.utf8.elementsEqual(fingerprint.utf8)
      else { throw ServiceError.invalidArgument("page_token is not one of this request's") }
      place = known
    }
    let size = min(size.map { $0 == 0 ? Self.defaultPage : $0 } ?? Self.defaultPage, Self.largestPage)
    let rest = all.drop { entry in place.after.map { !isAfter(entry, $0) } ?? false }
    var count = size
    if options.isAwkward {
      let draw = stableHash(
        Array(fingerprint.utf8),
        [UInt8(truncatingIfNeeded: place.page)],
        place.after?.bytes ?? []
      )
      count -= Int(draw % UInt64(size / 3 + 1))
      if all.count > 2 {
        // The first page never has everything, so that there is a second, which is empty and is not the end.
        if place.page == 0 { count = min(count, all.count - 1) }
        if place.page == 1 { count = 0 }
      }
    }
    let entries = Array(rest.prefix(count))
    var page = MiniPage<Entry>(entries: entries)
    // A page that is as long as asked has a token even if nothing is left, and then an empty answer ends the list.
    if entries.count < rest.count || entries.count == size {
      page.nextToken = remember(
        PageToken(request: fingerprint, page: place.page + 1, after: entries.last.map(key) ?? place.after)
      )
    }
    return page
  }

  private func remember(_ place: PageToken) -> ByteString {
    state.withLock { state in
      let number = state.pageTokens.count
      let token: ByteString =
        options.isAwkward ? ByteString("+/=&%# é\"%2B\(number)+a/b==") : ByteString("page\(number)")
      state.pageTokens[token] = place
      return token
    }
  }
}
