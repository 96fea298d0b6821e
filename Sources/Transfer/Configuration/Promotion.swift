import YAML

/// The conditions for applying migrations in an environment (`promote:` in the configuration).
package struct Promotion: Sendable, Equatable {
  /// The environment to which the conditions apply.
  package var environment: String
  /// The environment in which the migrations must be applied first; nil for none.
  package var after: String?
  /// Whether they must be verified there, too.
  package var mustBeVerified = false
  /// The maximum age of a rehearsal of them; nil if none is required.
  package var rehearsed: Duration?
}

extension Promotion {
  /// Parses `promote:`, a map from environments to conditions.
  ///
  /// - Throws: `.configuration` with the line and column of the error, including if environments wait for each other.
  static func read(
    _ node: YAMLNode,
    of environments: [DatabaseEnvironment],
    in yaml: YAMLFile
  ) throws(Failure) -> [Promotion] {
    func known(_ name: String, _ node: YAMLNode) throws(Failure) {
      if environments.contains(where: { $0.name.isIdentical(to: name) }) { return }
      let names = environments.map(\.name).joined(separator: ", ")
      throw yaml.failure(at: node, "there is no environment '\(name)'; there are \(names)")
    }
    var promotions: [Promotion] = []
    for (name, key, value) in try yaml.members(node, "'promote'", known: nil) {
      try known(name, key)
      let promotion = try Self.read(value, of: name, in: yaml, assertKnown: known)
      promotions.append(promotion)
      if isCircle(promotion, in: promotions, of: environments) {
        throw yaml.failure(at: value, "'\(name)' waits for itself, by way of '\(promotion.after ?? name)'")
      }
    }
    return promotions
  }

  private static func read(
    _ node: YAMLNode,
    of environment: String,
    in yaml: YAMLFile,
    assertKnown: (String, YAMLNode) throws(Failure) -> Void
  ) throws(Failure) -> Promotion {
    var promotion = Promotion(environment: environment)
    let known = ["after", "rehearsed", "verified"]
    for (member, _, value) in try yaml.members(node, "'\(environment)'", known: known) {
      switch member {
      case "verified": promotion.mustBeVerified = try yaml.boolean(value, member)
      case "rehearsed":
        let text = try yaml.text(value, member)
        guard let age = Duration(typed: text), age > .zero else {
          throw yaml.failure(at: value, "'\(text)' is no time, as 7d or 12h")
        }
        promotion.rehearsed = age
      default:
        let after = try yaml.text(value, member)
        try assertKnown(after, value)
        promotion.after = after
      }
    }
    if promotion.after == nil, promotion.mustBeVerified || promotion.rehearsed == nil {
      throw yaml.failure(at: node, "'after' is missing: the environment before")
    }
    return promotion
  }

  /// Whether the database of a condition waits for itself, under any of its names; the conditions before it do not.
  private static func isCircle(
    _ last: Promotion,
    in promotions: [Promotion],
    of environments: [DatabaseEnvironment]
  ) -> Bool {
    func isSame(_ name: String, _ other: String) -> Bool {
      let pair = [name, other].map { name in environments.first { $0.name.isIdentical(to: name) } }
      guard let first = pair[0], let second = pair[1] else { return false }
      return first.isSameDatabase(as: second)
    }
    func waits(_ name: String) -> Bool {
      promotions.contains { promotion in
        guard let after = promotion.after, isSame(promotion.environment, name) else { return false }
        return isSame(after, last.environment) || waits(after)
      }
    }
    return waits(last.environment)
  }
}
