import YAML

/// The maximum that may be billed (`--max-reads`, `--max-writes`, `--max-cost`); nil for no bound.
package struct BillBound: Codable, Sendable, Equatable {
  package var reads: Int?
  /// The maximum number of writes and deletes together.
  package var writes: Int?
  /// The maximum in US dollars.
  package var dollars: Double?

  package init(reads: Int? = nil, writes: Int? = nil, dollars: Double? = nil) {
    (self.reads, self.writes, self.dollars) = (reads, writes, dollars)
  }

  package var isNone: Bool { reads == nil && writes == nil && dollars == nil }

  /// The options that set it, with their values and the bound that each sets.
  package var options: [(name: String, bound: BillBound)] {
    [
      reads.map { ("--max-reads \($0)", BillBound(reads: $0)) },
      writes.map { ("--max-writes \($0)", BillBound(writes: $0)) },
      dollars.map { ("--max-cost \($0)", BillBound(dollars: $0)) },
    ].compactMap { $0 }
  }

  /// Returns the options with the values given for several runs, of which this bound is what was left for one run.
  package func options(leftOf given: BillBound) -> [(name: String, bound: BillBound)] {
    zip(given.options, options).map { given, left in
      let rest = left.name.split(separator: " ").last ?? ""
      let isWhole = given.name.isIdentical(to: left.name)
      return (isWhole ? given.name : "\(given.name) (of which this run had \(rest) left)", left.bound)
    }
  }

  /// Returns what is left of it after a cost was billed.
  package func left(after cost: Cost, at prices: PriceList) -> BillBound {
    BillBound(
      reads: reads.map { max($0.subtractingClamped(cost.reads), 0) },
      writes: writes.map { max($0.subtractingClamped(cost.writes.addingClamped(cost.deletes)), 0) },
      dollars: dollars.map { max($0 - prices.dollars(of: cost), 0) }
    )
  }

  /// Returns the bound raised by a cost that was already billed.
  package func raised(by cost: Cost, at prices: PriceList) -> BillBound {
    BillBound(
      reads: reads.map { $0.addingClamped(cost.reads) },
      writes: writes.map { $0.addingClamped(cost.writes).addingClamped(cost.deletes) },
      dollars: dollars.map { $0 + prices.dollars(of: cost) }
    )
  }

  /// Returns the bound with the maximums that another one has instead.
  package func replaced(by other: BillBound) -> BillBound {
    BillBound(
      reads: other.reads ?? reads,
      writes: other.writes ?? writes,
      dollars: other.dollars ?? dollars
    )
  }

  /// Returns the smaller bound in each respect.
  package func tightened(by other: BillBound) -> BillBound {
    func smaller<Number: Comparable>(_ first: Number?, _ second: Number?) -> Number? {
      guard let first, let second else { return first ?? second }
      return min(first, second)
    }
    return BillBound(
      reads: smaller(reads, other.reads),
      writes: smaller(writes, other.writes),
      dollars: smaller(dollars, other.dollars)
    )
  }
}

/// What may be billed for an environment: `limits:`.
package struct BillLimits: Sendable, Equatable {
  /// The bound for one run.
  package var run = BillBound()
  /// The bound for all runs in a UTC day, as far as this machine knows of them.
  package var day = BillBound()

  package init() {}

  /// Returns the smaller bounds in each respect.
  func tightened(by other: BillLimits) -> BillLimits {
    var limits = self
    (limits.run, limits.day) = (run.tightened(by: other.run), day.tightened(by: other.day))
    return limits
  }

  /// - Throws: `.configuration` with the line and column of the error.
  static func read(_ node: YAMLNode, in yaml: YAMLFile) throws(Failure) -> BillLimits {
    var limits = BillLimits()
    for (name, _, value) in try yaml.members(node, "'limits'", known: ["run", "day"]) {
      let bound = try BillBound.read(value, name, in: yaml)
      if name == "run" { limits.run = bound } else { limits.day = bound }
    }
    return limits
  }
}

extension BillBound {
  fileprivate static func read(
    _ node: YAMLNode,
    _ name: String,
    in yaml: YAMLFile
  ) throws(Failure) -> BillBound {
    var bound = BillBound()
    let known = ["reads", "writes", "cost"]
    for (member, _, value) in try yaml.members(node, "'\(name)'", known: known) {
      if member == "cost" {
        guard let dollars = PriceList.dollars(value.text ?? "") else {
          throw yaml.failure(at: value, "'cost' must be US dollars, such as 2.50")
        }
        bound.dollars = dollars
        continue
      }
      guard let count = value.text.flatMap({ Int($0) }), count >= 0 else {
        throw yaml.failure(at: value, "'\(member)' must be a whole number from 0")
      }
      if member == "reads" { bound.reads = count } else { bound.writes = count }
    }
    return bound
  }
}
