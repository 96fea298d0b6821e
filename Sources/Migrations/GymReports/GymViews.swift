/// The owner's numbers as views of a mirror, from the statements in `gym-views.sql`.
package enum GymViews {
  /// The views in order, each with its name and its SELECT; a view may use earlier ones.
  package static let all: [(name: String, query: String)] = {
    let text = String(decoding: PackageResources.gym_views_sql, as: UTF8.self)
      .replacing("WHITE_SPACE", with: "char(\(whiteSpace))")
    let code = text.split(separator: "\n").filter { !$0.hasPrefix("--") }.joined(separator: "\n")
    return code.split(separator: ";").compactMap { statement in
      let mark = "CREATE VIEW "
      guard let start = statement.firstRange(of: mark)?.upperBound,
        let end = statement.firstRange(of: " AS\n")
      else { return nil }
      return (String(statement[start..<end.lowerBound]), String(statement[end.upperBound...]))
    }
  }()

  /// The code points of white space, as the report trims it; none is beyond the ideographic space.
  private static let whiteSpace = (0...0x3000).compactMap { Unicode.Scalar($0 as UInt32) }
    .filter(PlainText.isWhiteSpace).map { String($0.value) }.joined(separator: ", ")
}
