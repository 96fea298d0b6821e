/// A prefix of objects in Cloud Storage: `gs://BUCKET/PREFIX`.
///
///     BucketPrefix(parsing: "gs://backups/2026-01-31/")?.description  // gs://backups/2026-01-31
package struct BucketPrefix: Sendable, Equatable, CustomStringConvertible {
  package let bucket: String
  /// The prefix without slashes at its ends; empty for the bucket itself.
  package let path: String

  /// What ``init(parsing:)`` accepts, for messages.
  package static let form = "gs://BUCKET/PREFIX"
  /// The maximum size of a prefix in bytes.
  ///
  /// Object names have up to 1,024 bytes (https://cloud.google.com/storage/docs/objects#naming); the service appends the
  /// last segment and the names of its files.
  private static let maximumPathBytes = 500

  /// Parses a URI; returns nil for anything but the name of a bucket with an optional prefix.
  package init?(parsing text: String) {
    let scheme = "gs://"
    guard text.utf8.starts(with: scheme.utf8) else { return nil }
    let parts = text.utf8.dropFirst(scheme.utf8.count)
      .split(separator: UInt8(ascii: "/"), maxSplits: 1, omittingEmptySubsequences: false)
    let bucket = String(Substring(parts[0]))
    guard BucketName.isValid(bucket) else { return nil }
    var path = parts.count > 1 ? Array(parts[1]) : []
    if path.last == UInt8(ascii: "/") { path.removeLast() }
    if !path.isEmpty {
      let segments = path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
      guard path.count <= Self.maximumPathBytes, segments.allSatisfy(Self.isSegment) else { return nil }
    }
    self.bucket = bucket
    self.path = String(decoding: path, as: UTF8.self)
  }

  private init(bucket: String, path: String) { (self.bucket, self.path) = (bucket, path) }

  /// The prefix itself, or, for a bucket without a prefix, one with the given name.
  ///
  /// Otherwise the service would choose a name by which nobody could recognize the export.
  package func named(_ name: @autoclosure () -> String) -> BucketPrefix {
    path.isEmpty ? BucketPrefix(bucket: bucket, path: name()) : self
  }

  /// Whether a URI of the service is this prefix; a trailing slash does not matter.
  package func isIdentical(to uri: String) -> Bool {
    guard let other = BucketPrefix(parsing: uri) else { return false }
    return description.isIdentical(to: other.description)
  }

  package static func == (a: BucketPrefix, b: BucketPrefix) -> Bool { a.isIdentical(to: b.description) }

  package var description: String { path.isEmpty ? "gs://\(bucket)" : "gs://\(bucket)/\(path)" }

  private static func isSegment(_ segment: ArraySlice<UInt8>) -> Bool {
    !segment.isEmpty && !segment.elementsEqual(".".utf8) && !segment.elementsEqual("..".utf8)
      && segment.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
  }
}
