/// Collections as they are named on the command line.
enum CollectionArguments {
  /// The help for arguments that name collections.
  static let help: ArgumentHelp =
    "Paths of collections, as users or orders/o1/items; patterns, as 'log*' or 'orders/*/items'."

  /// Requires either names or `--all`.
  static func assertOne(of names: [String], all: Bool) throws {
    if all, !names.isEmpty { throw ValidationError("Name collections or give --all, not both.") }
    if !all, names.isEmpty { throw ValidationError("Name at least one collection, or give --all.") }
  }

  /// Refuses names that are neither paths nor patterns.
  static func validate(_ names: [String]) throws {
    for name in names {
      if let defect = CollectionSelection.defect(of: name) { throw ValidationError("'\(name)' \(defect).") }
    }
  }

  /// Refuses names that are neither paths nor patterns, and filters that cannot apply to them.
  static func validate(_ names: [String], all: Bool, _ query: QueryOptions) throws {
    try assertOne(of: names, all: all)
    for name in names {
      try validate([name])
      if query.group, name.utf8.contains(where: { "*/".utf8.contains($0) }) {
        throw ValidationError("'\(name)': a collection group is named by one id alone, as items.")
      }
    }
    try FilterArguments.validate(query.filters, for: all ? nil : names, isGroup: query.group)
  }
}
