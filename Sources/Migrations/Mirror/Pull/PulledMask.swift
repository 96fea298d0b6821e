/// How documents are masked on their way into a mirror.
package struct PulledMask: Sendable {
  /// What tells its key from others.
  let fingerprint: String
  let assertCovers: @Sendable ([CollectionPath]) throws(Failure) -> Void
  let masked: @Sendable ([RawDocument]) async throws -> [RawDocument]
  /// A failure of a read, without names of documents.
  let withoutNames: @Sendable (Failure, CollectionPath) -> Failure

  package init(
    fingerprint: String,
    assertCovers: @escaping @Sendable ([CollectionPath]) throws(Failure) -> Void,
    masked: @escaping @Sendable ([RawDocument]) async throws -> [RawDocument],
    withoutNames: @escaping @Sendable (Failure, CollectionPath) -> Failure
  ) {
    (self.fingerprint, self.assertCovers) = (fingerprint, assertCovers)
    (self.masked, self.withoutNames) = (masked, withoutNames)
  }
}
