/// The result of a proof for one field.
package struct ProvenField: Encodable, Sendable, Equatable {
  /// The collection and the field: `users: email`, `users: (ids)`.
  package let field: String
  /// The number of distinct values that were searched for.
  package var values = 0
  /// The number of them that were found.
  package var found = 0
  /// Where they were found, without any value.
  package var places: [String] = []
  /// The number of values that are too short to search for.
  package var short = 0
  /// The number of values that many documents, or masks themselves, have.
  package var common = 0
  /// The number of numbers, times and coordinates.
  package var others = 0

  /// Whether it had no value at all.
  var isEmpty: Bool { values + short + common + others == 0 }

  /// The cells of its line for display.
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

/// The result of a proof for all fields, in the summary.
package struct MaskProofReport: SummarySection {
  package let fields: [ProvenField]
  /// The files that could not be searched entirely, with the reasons.
  package let unread: [String]

  /// Whether nothing was found that should have been masked.
  package var isProven: Bool { !fields.contains { $0.found > 0 } }

  package var name: StaticString { "proof" }
  package var line: String? {
    let (found, values) = (fields.reduce(0) { $0 + $1.found }, fields.reduce(0) { $0 + $1.values })
    return "Found: \(NumberText.grouped(found)) of \(NumberText.counted(values, "masked value"))"
  }
}
