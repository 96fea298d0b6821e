/// An access token and its expiry, in seconds since 1970.
package struct AccessToken: Sendable, Equatable {
  /// How long before its expiry a token is replaced, in seconds, as in Google's own libraries.
  package static let refreshMargin = 225.0

  let secret: Secret
  /// The time at which the service stops accepting it; nil if unknown.
  package let expiry: Double?
  /// The time from which a new token is requested; nil for never.
  package let refreshTime: Double?

  init(_ secret: Secret, expiry: Double? = nil, refreshTime: Double? = nil) {
    self.secret = secret
    self.expiry = expiry
    self.refreshTime = refreshTime
  }

  /// Creates a token that was issued at `now` for `lifetime` seconds.
  ///
  /// A token with little more than the margin left, such as one from the metadata server's cache, is replaced after half of
  /// its lifetime.
  init(_ secret: Secret, issuedAt now: Double, lifetime: Double?) {
    self.init(
      secret,
      expiry: lifetime.map { now + $0 },
      refreshTime: lifetime.map { now + $0 - min(Self.refreshMargin, $0 / 2) }
    )
  }

  /// Whether to get a new token before using this one.
  package func isStale(at now: Double) -> Bool { refreshTime.map { now >= $0 } ?? false }

  /// Whether the service may refuse it.
  package func isExpired(at now: Double) -> Bool { expiry.map { now >= $0 } ?? false }

  /// The maximum size of a token, in bytes; those of the Security Token Service have at most 16 KiB
  /// (https://cloud.google.com/docs/authentication/token-types).
  static let maximumBytes = 64 << 10

  /// Whether a text from a server can be a token.
  static func isToken(_ text: String) -> Bool {
    text.utf8.count <= maximumBytes && isHeaderSafe(text.utf8)
  }

  /// Whether a text can be a header value: only visible ASCII without spaces.
  static func isHeaderSafe(_ text: some Collection<UInt8>) -> Bool {
    !text.isEmpty && text.allSatisfy { $0 > 0x20 && $0 < 0x7F }
  }
}
