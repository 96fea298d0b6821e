import ArgumentParser
import Models
import Transfer

/// The collections of a command over two databases: named ones and patterns, all, or the gym's catalogues.
struct SelectionArguments: ParsableArguments {
  @Argument(
    help:
      "Paths of collections, as users or groups/g1/members; patterns, as 'class*' or 'groups/*/members'."
  )
  var collections: [String] = []

  @Flag(help: "Every root collection, but for gymmigrate's own.")
  var all = false

  @Flag(help: "The gym's catalogues: membership_plans, products, exercises, routine_templates.")
  var catalogues = false

  func validate() throws {
    if [all, catalogues, !collections.isEmpty].filter({ $0 }).count != 1 {
      throw ValidationError("Name collections, or give --all or --catalogues; one of the three.")
    }
    for name in collections {
      if let defect = CollectionSelection.defect(of: name) { throw ValidationError("'\(name)' \(defect).") }
    }
  }

  /// What is meant.
  func selection(isDeep: Bool) -> CollectionSelection {
    CollectionSelection(all ? nil : catalogues ? GymCatalogues.collections : collections, isDeep: isDeep)
  }
}
