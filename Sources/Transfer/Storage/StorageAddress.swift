import Files

/// An address in Cloud Storage: `gs://bucket/name`, or `gs://bucket/folder/` for all names that begin with `folder/`.
///
/// Limits and rules of names: https://cloud.google.com/storage/docs/objects#naming and
/// https://cloud.google.com/storage/docs/buckets#naming.
package struct StorageAddress: Sendable, Equatable, CustomStringConvertible {
  /// The maximum length of an object's name, in bytes.
  static let maximumNameBytes = 1024

  package let bucket: String
  /// The name of an object; empty, or ending in `/`, for a folder.
  package let name: String

  package var description: String { "\(FileAccess.scheme)\(bucket)/\(name)" }

  /// Whether its form is that of a folder.
  package var isFolder: Bool { name.isEmpty || name.utf8.last == UInt8(ascii: "/") }
}

extension StorageAddress {
  /// Parses an address.
  ///
  /// - Throws: `.usage` with what is wrong.
  package init(_ text: String) throws(Failure) {
    func malformed(_ cause: String) -> Failure {
      Failure(
        .usage,
        "use the address",
        path: text,
        cause: cause,
        remedy: "Give it as gs://BUCKET/NAME, or gs://BUCKET/FOLDER/ for a folder."
      )
    }
    guard FileAccess.isRemote(text) else { throw malformed("it does not begin with gs://") }
    let rest = text.utf8.dropFirst(FileAccess.scheme.utf8.count)
    let slash = rest.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
    let bucket = String(decoding: rest[..<slash], as: UTF8.self)
    let name =
      slash == rest.endIndex ? "" : String(decoding: rest[rest.index(after: slash)...], as: UTF8.self)
    if let defect = Self.defect(ofBucket: bucket) { throw malformed(defect) }
    if let defect = Self.defect(ofName: name) { throw malformed(defect) }
    self.init(bucket: bucket, name: name)
  }

  /// Returns the address of a name below a folder.
  func appending(_ relative: String) -> StorageAddress {
    StorageAddress(bucket: bucket, name: asFolder.name + relative)
  }

  /// Returns a listed name relative to this folder; empty for an object with the folder's own name, which some tools
  /// create.
  ///
  /// - Throws: `.unavailable` if it is not below the folder.
  func relative(_ listed: String) throws(Failure) -> String {
    guard listed.utf8.starts(with: name.utf8) else {
      throw StorageCall("list", self).foreign("the list holds other names than were asked for")
    }
    return String(decoding: listed.utf8.dropFirst(name.utf8.count), as: UTF8.self)
  }

  /// The address as that of a folder: with a trailing `/`, except for the whole bucket.
  var asFolder: StorageAddress { isFolder ? self : StorageAddress(bucket: bucket, name: name + "/") }

  private static func defect(ofBucket bucket: String) -> String? {
    let lengths = BucketName.lengths
    guard lengths.contains(bucket.utf8.count) else {
      return "the name of a bucket has \(lengths.lowerBound) to \(lengths.upperBound) characters"
    }
    if BucketName.isValid(bucket) { return nil }
    return "'\(bucket)' is not the name of a bucket (lower-case letters, digits, -, _ and .)"
  }

  /// Returns what makes a name unusable; nil if nothing does.
  static func defect(ofName name: String) -> String? {
    if name.isEmpty { return nil }
    let bytes = Array(name.utf8)
    if bytes.count > maximumNameBytes { return "the name has more than \(maximumNameBytes) bytes" }
    if bytes.contains(where: { $0 < 0x20 || $0 == 0x7F }) { return "the name holds a control character" }
    var segments = bytes.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    if segments.last?.isEmpty ?? false { segments.removeLast() }
    for segment in segments {
      if segment.isEmpty { return "the name holds an empty segment" }
      if segment.elementsEqual(".".utf8) || segment.elementsEqual("..".utf8) {
        return "the name holds the segment '\(String(decoding: segment, as: UTF8.self))'"
      }
    }
    return nil
  }
}
