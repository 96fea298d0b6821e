/// How documents are masked before they are written to a mirror.
package struct PulledMask: Sendable {
  /// Identifies its key.
  let fingerprint: String
  let assertCovers: @Sendable ([CollectionPath]) throws(Failure) -> Void
  let masked: @Sendable ([RawDocument]) async throws -> [RawDocument]
  /// Returns a read failure without document names.
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
