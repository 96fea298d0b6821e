/// A random filter, and how it may be written.
package struct GeneratedFilter: Sendable {
  /// The filter.
  ///
  /// ANDs and ORs alternate and have two sides at least, so that its text has no other tree.
  package var filter: ReferenceFilter
  /// A random spelling of the filter in the language of `--where`, or nil if an operand has none.
  package var text: String?
}
