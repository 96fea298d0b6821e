import FirestoreModels

/// An option for a list that is given twice: the parser would take the last one, and leave out what the others name.
enum RepeatedOption {
  private static let lists = ["--collection", "--fields", "--order-by", "--ignore-fields", "--environments"]

  /// The failure of the first one that is repeated; nil where none is.
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
