/// The URL of a file in Cloud Storage, as found in the texts of documents.
///
/// | form | example | |---|---| | SDKs | `gs://BUCKET/path` | | Firebase |
/// `https://firebasestorage.googleapis.com/v0/b/BUCKET/o/path` | | Storage | `https://storage.googleapis.com/BUCKET/path`,
/// `https://storage.cloud.google.com/BUCKET/path` | | Storage, by host | `https://BUCKET.storage.googleapis.com/path` |
///
/// Scheme and host are compared without case; a percent-encoded bucket is decoded.
package struct StorageURL: Sendable, Equatable {
  package let bucket: String
  /// The text before and after the bucket.
  private let parts: (before: String, after: String)

  /// Parses a text; nil if it is not such a URL.
  package init?(_ text: String) {
    guard let url = Self.parsed(text) else { return nil }
    self = url
  }

  private init?(_ before: Substring.UTF8View, _ bucket: Substring.UTF8View, _ after: Substring.UTF8View) {
    guard let bytes = PercentEncoding.decoded(Array(bucket)),
      let name = String(validating: bytes, as: UTF8.self), BucketName.isValid(name)
    else { return nil }
    self.bucket = name
    parts = (String(Substring(before)), String(Substring(after)))
  }

  private static func parsed(_ text: String) -> StorageURL? {
    let bytes = text[...].utf8
    guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else { return nil }
    let scheme = lowercased(bytes[..<colon])
    var rest = bytes[bytes.index(after: colon)...]
    guard rest.starts(with: "//".utf8) else { return nil }
    rest = rest.dropFirst(2)
    let host = rest.prefix { $0 != UInt8(ascii: "/") }
    let path = rest[host.endIndex...]
    if scheme == "gs" { return StorageURL(bytes[..<host.startIndex], host, path) }
    guard scheme == "https" || scheme == "http" else { return nil }
    let name = lowercased(host)
    let prefix: String
    switch name {
    case "storage.googleapis.com", "storage.cloud.google.com": prefix = "/"
    case "firebasestorage.googleapis.com": prefix = "/v0/b/"
    default:
      let suffix = ".storage.googleapis.com"
      guard name.utf8.count > suffix.utf8.count, name.hasSuffix(suffix) else { return nil }
      let end = host.index(host.startIndex, offsetBy: name.utf8.count - suffix.utf8.count)
      return StorageURL(bytes[..<host.startIndex], Substring(lowercased(host[..<end])).utf8, bytes[end...])
    }
    guard path.starts(with: prefix.utf8) else { return nil }
    let bucket = path.dropFirst(prefix.utf8.count).prefix { $0 != UInt8(ascii: "/") }
    let after = path[bucket.endIndex...]
    if name.hasPrefix("firebase"), !after.starts(with: "/o/".utf8) { return nil }
    return StorageURL(bytes[..<bucket.startIndex], bucket, after)
  }

  /// Returns the URL of the same file in another bucket.
  package func text(inBucket other: String) -> String { parts.before + other + parts.after }

  package static func == (a: StorageURL, b: StorageURL) -> Bool {
    a.bucket.isIdentical(to: b.bucket) && a.parts == b.parts
  }

  private static func lowercased(_ bytes: Substring.UTF8View) -> String {
    String(decoding: bytes.map { (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 }, as: UTF8.self)
  }
}

/// The buckets of the environments, from the perspective of one of them.
package struct StorageBuckets: Sendable, Equatable {
  /// The bucket of this environment.
  package var own: String
  /// The buckets of the other environments, with their names.
  package var others: [(environment: String, bucket: String)]

  package init(own: String, others: [(environment: String, bucket: String)]) {
    self.own = own
    self.others = others.filter { !$0.bucket.isIdentical(to: own) }
  }

  /// Returns the other environment whose bucket a text points to; nil if there is none.
  package func foreignEnvironment(of text: String) -> String? {
    guard let url = StorageURL(text) else { return nil }
    return others.first { $0.bucket.isIdentical(to: url.bucket) }?.environment
  }

  package static func == (a: StorageBuckets, b: StorageBuckets) -> Bool {
    a.own == b.own && a.others.elementsEqual(b.others) { $0 == $1 }
  }
}
