/// The owner's numbers as views of a mirror, from the statements in `gym-views.sql`.
package enum GymViews {
  /// The views in order, each with its name and its SELECT; a view may use earlier ones.
  package static let all: [(name: String, query: String)] = {
    let text = String(decoding: PackageResources.gym_views_sql, as: UTF8.self)
    let code = text.split(separator: "\n").filter { !$0.hasPrefix("--") }.joined(separator: "\n")
    return code.split(separator: ";").compactMap { statement in
      let mark = "CREATE VIEW "
      guard let start = statement.firstRange(of: mark)?.upperBound,
        let end = statement.firstRange(of: " AS\n")
      else { return nil }
      return (String(statement[start..<end.lowerBound]), String(statement[end.upperBound...]))
    }
  }()
}
