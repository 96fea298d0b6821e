package import Files
import Runs
import TypedDocuments

/// What a plan restores in full, so that applying it takes migrations back.
package struct RestoredCollections: JSONRecord, Equatable {
  /// The point in time, by the database's clock.
  package var moment: Timestamp
  /// When the documents were read for the plan, by the database's clock; nil if not known.
  package var readTime: Timestamp?
  /// The patterns of the collections that were compared.
  package var collections: [String]
  /// Whether they are all collections of the database.
  package var isAll: Bool

  package init(_ collections: [String], isAll: Bool, at moment: Timestamp, readAt readTime: Timestamp?) {
    (self.collections, self.isAll) = (collections, isAll)
    (self.moment, self.readTime) = (moment, readTime)
  }

  private enum CodingKeys: String, CodingKey {
    case isAll = "all"
    case collections, moment, readTime
  }
}

/// The last line of a plan file: the number of changes before it, and the SHA-256 of their lines.
///
/// A file that was truncated, edited, or concatenated from others has no such line or a different one.
package struct PlanEnd: Sendable, Equatable {
  package let changes: Int
  /// The digest of all bytes before this line, in lower-case hexadecimal.
  package let sha256: String
  /// What is restored in full; nil for a plan of anything else.
  package let restored: RestoredCollections?

  package init(changes: Int, sha256: String, restoring restored: RestoredCollections? = nil) {
    self.changes = changes
    self.sha256 = sha256
    self.restored = restored
  }

  /// Reads the end of a plan; nil if the line is a change.
  init?(_ json: JSONCursor) throws(WireError) {
    guard let changes = json["changes"] else { return nil }
    guard let count = WireDecoder.count(changes), let sha256 = json["sha256"]?.string else {
      throw WireError("it is no end of a plan")
    }
    var restored: RestoredCollections?
    if let json = json["restored"] { restored = try RestoredCollections(json) }
    self.init(changes: count, sha256: sha256, restoring: restored)
  }

  /// The line, with its line feed.
  package var line: [UInt8] {
    JSONWriter.object {
      $0.member("changes", changes)
      $0.member("restored", record: restored)
      $0.member("sha256", sha256)
    } + [UInt8(ascii: "\n")]
  }

  /// Appends the end to the complete plan of a run; a plan without changes has no file.
  ///
  /// - Throws: `.cannotWrite`.
  package static func append(
    to path: String,
    restoring restored: RestoredCollections? = nil
  ) throws(Failure) {
    guard FileCheck.exists(path) else { return }
    var digest = try SHA256Digest()
    var changes = 0
    var file = try InputFile(path, decompresses: false)
    try file.forEachPiece { piece throws(Failure) in
      digest.update(piece)
      for byte in piece where byte == UInt8(ascii: "\n") { changes += 1 }
    }
    let sha256 = digest.finish()
    try LineList(path).append(PlanEnd(changes: changes, sha256: sha256, restoring: restored).line)
  }

  /// Copies the plan of a run; for a plan without changes, which has no file, writes just the end.
  ///
  /// - Throws: As ``OutputFile/copy(_:to:via:)``.
  package static func copy(_ path: String, to output: String, via files: FileAccess) throws(Failure) {
    if FileCheck.exists(path) { return try OutputFile.copy(path, to: output, via: files) }
    let end = PlanEnd(changes: 0, sha256: try SHA256Digest.checksum(of: []))
    try OutputFile.write(end.line, to: output, via: files)
  }
}
