package import Schema

/// That a job masks, and with which key: where its file is, and what tells the key apart.
///
/// The key itself is in no record.
package struct MaskSettings: Codable, Sendable, Equatable {
  private var keyFile: String
  /// What tells the key from others.
  package private(set) var fingerprint: String

  /// - Throws: `.configuration` if the file holds no key.
  package init(keyFile: String) throws(Failure) {
    self.keyFile = keyFile
    fingerprint = try MaskKey(file: keyFile).fingerprint
  }

  /// The mask of the job.
  ///
  /// - Throws: `.configuration` if the key in the file is not the one that the job began with.
  package func mask(by schema: DatabaseSchema) throws(Failure) -> Mask {
    let key = try MaskKey(file: keyFile)
    guard key.fingerprint.isIdentical(to: fingerprint) else {
      throw Failure(
        .configuration,
        "go on masking",
        path: keyFile,
        cause: "it holds another key than the run began with",
        remedy: "Put the first key back, or begin anew in an empty target."
      )
    }
    return Mask(by: schema, key: key)
  }
}
