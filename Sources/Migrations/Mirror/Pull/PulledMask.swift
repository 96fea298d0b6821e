/// How documents are masked before they are written to a mirror.
package struct PulledMask: Sendable {
  /// Identifies its key.
  let fingerprint: String
  let assertCovers: @Sendable ([CollectionPath]) throws(Failure) -> Void
  let masked: @Sendable ([RawDocument]) async throws -> [RawDocument]

  package init(
    fingerprint: String,
    assertCovers: @escaping @Sendable ([CollectionPath]) throws(Failure) -> Void,
    masked: @escaping @Sendable ([RawDocument]) async throws -> [RawDocument]
  ) {
    (self.fingerprint, self.assertCovers, self.masked) = (fingerprint, assertCovers, masked)
  }
}
