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
      if isCircle(promotion, in: promotions) {
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

  private static func isCircle(_ first: Promotion, in promotions: [Promotion]) -> Bool {
    var next: Promotion? = first
    for _ in promotions {
      guard let after = next?.after else { return false }
      if after.isIdentical(to: first.environment) { return true }
      next = promotions.first { $0.environment.isIdentical(to: after) }
    }
    return false
  }
}
