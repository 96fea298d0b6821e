import ArgumentParser
import FirestoreREST
import GymModels

/// The collections of a command over two databases: named ones and patterns, all, or the gym's catalogues.
struct SelectionArguments: ParsableArguments {
  @Argument(help: CollectionArguments.help)
  var collections: [String] = []

  @Flag(help: "Every root collection except gymmigrate's own.")
  var all = false

  @Flag(help: "The gym's catalogues: membership_plans, products, exercises, routine_templates.")
  var catalogues = false

  @OptionGroup var emptiness: EmptinessOptions

  func validate() throws {
    if [all, catalogues, !collections.isEmpty].filter({ $0 }).count != 1 {
      throw ValidationError("Name collections, or give --all or --catalogues; one of the three.")
    }
    for name in collections {
      if let defect = CollectionSelection.defect(of: name) { throw ValidationError("'\(name)' \(defect).") }
    }
  }

  /// The paths and patterns that are meant; nil where all root collections are.
  var names: [String]? { all ? nil : catalogues ? GymCatalogues.collections : collections }

  /// What is meant.
  func selection(isDeep: Bool) -> CollectionSelection {
    CollectionSelection(names, isDeep: isDeep)
  }
}
