/// The names that a configuration has for a database: what is for one of them is for the database.
package struct DatabaseNames: Sendable, Equatable, CustomStringConvertible {
  /// The name to show.
  package let shown: String
  private let others: [String]

  package init(_ shown: String, others: [String] = []) { (self.shown, self.others) = (shown, others) }

  package var description: String { shown }

  package func contains(_ name: String) -> Bool {
    ([shown] + others).contains { $0.isIdentical(to: name) }
  }
}
