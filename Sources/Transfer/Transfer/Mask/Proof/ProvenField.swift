/// What a proof says of one field.
package struct ProvenField: Encodable, Sendable, Equatable {
  /// The collection and the field: `users: email`, `users: (ids)`.
  package let field: String
  /// The distinct values that were looked for.
  package var values = 0
  /// How many of them were found.
  package var found = 0
  /// Where, without any value.
  package var places: [String] = []
  /// The values that are too short to look for.
  package var short = 0
  /// The values that many have, or that masks have, too.
  package var common = 0
  /// Numbers, times and coordinates.
  package var others = 0

  /// Whether it had no value at all.
  var isEmpty: Bool { values + short + common + others == 0 }

  /// The cells of its line for people.
  package var row: [String] {
    let parts = [(short, "too short"), (common, "too common"), (others, "numbers or times")]
    let left = parts.filter { $0.0 > 0 }.map { "\(NumberText.grouped($0.0)) \($0.1)" }
    let places = FilePaths.list(places)
    return [
      field, "\(NumberText.grouped(found)) of \(NumberText.grouped(values))",
      left.isEmpty ? "" : "not looked for: \(left.joined(separator: ", "))",
      places.isEmpty ? "" : "found in \(places)",
    ]
  }
}

/// What a proof says of all fields, in the summary.
package struct MaskProofReport: SummarySection {
  package let fields: [ProvenField]
  /// The files in which not everything could be looked at, with the reason.
  package let unread: [String]

  package init(_ fields: [ProvenField], unread: [String] = []) {
    (self.fields, self.unread) = (fields, unread)
  }

  /// Whether something was found that is to be masked.
  package var isProven: Bool { !fields.contains { $0.found > 0 } }

  package var name: StaticString { "proof" }
  package var line: String? {
    let (found, values) = (fields.reduce(0) { $0 + $1.found }, fields.reduce(0) { $0 + $1.values })
    return "Found: \(NumberText.grouped(found)) of \(NumberText.counted(values, "masked value"))"
  }
}
