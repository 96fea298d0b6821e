package import Schema

/// The masking settings of a job: the file of the key, and the key's fingerprint.
///
/// The key itself is in no record.
package struct MaskSettings: Codable, Sendable, Equatable {
  private var keyFile: String
  /// Identifies the key without revealing it.
  package private(set) var fingerprint: String

  /// - Throws: `.configuration` if the file holds no key.
  package init(keyFile: String) throws(Failure) {
    self.keyFile = keyFile
    fingerprint = try MaskKey(file: keyFile).fingerprint
  }

  /// The mask of the job.
  ///
  /// - Throws: `.configuration` if the key in the file is not the one that the job started with.
  package func mask(by schema: DatabaseSchema) throws(Failure) -> Mask { Mask(by: schema, key: try key()) }

  /// Returns texts that the record must not show, sealed with the key.
  ///
  /// - Throws: As ``mask(by:)``.
  package func sealed(_ texts: [String]) throws(Failure) -> [String] {
    let key = try key()
    return try texts.map { text throws(Failure) in try key.sealed(text) }
  }

  /// Returns the sealed texts; records of earlier versions have them unsealed.
  ///
  /// - Throws: As ``mask(by:)``.
  package func opened(_ texts: [String]) throws(Failure) -> [String] {
    let key = try key()
    return try texts.map { text throws(Failure) in try key.opened(text) ?? text }
  }

  private func key() throws(Failure) -> MaskKey {
    let key = try MaskKey(file: keyFile)
    guard key.fingerprint.isIdentical(to: fingerprint) else {
      throw Failure(
        .configuration,
        "go on masking",
        path: keyFile,
        cause: "it holds another key than the run began with",
        remedy: "Put the first key back, or start over in an empty target."
      )
    }
    return key
  }
}
