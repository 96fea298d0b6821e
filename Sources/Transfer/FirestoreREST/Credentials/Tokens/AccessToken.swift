/// A bearer token and the time at which it ends.
///
/// Times are seconds since 1970.
package struct AccessToken: Sendable, Equatable {
  /// How long before its end a token is replaced, in seconds: 3 min 45 s, as Google's own libraries do.
  package static let refreshMargin = 225.0

  let secret: Secret
  /// When the service stops taking it; nil where that is not known.
  package let expiry: Double?
  /// From when on a new one is asked for; nil for never.
  package let refreshTime: Double?

  init(_ secret: Secret, expiry: Double?, refreshTime: Double?) {
    self.secret = secret
    self.expiry = expiry
    self.refreshTime = refreshTime
  }

  /// A token that was issued at `now` for `lifetime` seconds.
  ///
  /// One that hardly outlives the margin, as the metadata server's cache gives out, is replaced at half its
  /// life rather than at once.
  init(_ secret: Secret, issuedAt now: Double, lifetime: Double?) {
    self.init(
      secret,
      expiry: lifetime.map { now + $0 },
      refreshTime: lifetime.map { now + $0 - min(Self.refreshMargin, $0 / 2) }
    )
  }

  /// Whether a new token should be had before this one is used.
  package func isStale(at now: Double) -> Bool {
    refreshTime.map { now >= $0 } ?? false
  }

  /// Whether the service may refuse it by now.
  package func isExpired(at now: Double) -> Bool {
    expiry.map { now >= $0 } ?? false
  }

  /// Whether a text can stand in a header as it is: visible ASCII, no blank, no line end.
  static func isHeaderSafe(_ text: some Collection<UInt8>) -> Bool {
    !text.isEmpty && text.allSatisfy { $0 > 0x20 && $0 < 0x7F }
  }
}
