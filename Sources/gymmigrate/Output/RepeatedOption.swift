/// A list option that is given twice: the parser would only use the last one, and silently ignore the others.
enum RepeatedOption {
  private static let lists = ["--collection", "--fields", "--order-by", "--ignore-fields", "--environments"]

  /// Returns a failure for the first repeated option; nil if there is none.
  static func failure(in arguments: [String]) -> Failure? {
    let names = arguments.prefix { $0 != "--" }.map { String($0.prefix { $0 != "=" }) }
    guard let name = lists.first(where: { list in names.count { $0.isIdentical(to: list) } > 1 }) else {
      return nil
    }
    return Failure(
      .usage,
      "use the option",
      path: name,
      cause: "it is given twice",
      remedy: "Give it once, with commas in between where it takes several: \(name) a,b."
    )
  }
}
