import ArgumentParser
import FirestoreModels
import FirestoreREST
import Schema

/// The collections of a command over two databases: named ones and patterns, all, or the catalogues of the schema.
struct SelectionArguments: ParsableArguments {
  @Argument(help: CollectionArguments.help)
  var collections: [String] = []

  @Flag(help: "Every root collection except gymmigrate's own.")
  var all = false

  @Flag(help: "The schema's catalogues: the collections that all environments share.")
  var catalogues = false

  @OptionGroup var emptiness: EmptinessOptions

  func validate() throws {
    if [all, catalogues, !collections.isEmpty].filter({ $0 }).count != 1 {
      throw ValidationError("Name collections, or give --all or --catalogues; one of the three.")
    }
    try CollectionArguments.validate(collections)
  }

  /// The paths and patterns that are meant; nil where all root collections are.
  ///
  /// - Throws: `.usage` where the schema has no catalogues.
  func names(_ schema: DatabaseSchema) throws(Failure) -> [String]? {
    if all { return nil }
    if !catalogues { return collections }
    if schema.catalogues.isEmpty {
      throw Failure(
        .usage,
        "choose the catalogues",
        path: schema.name,
        cause: "the schema declares no collection a catalogue",
        remedy: "Name the collections, or add 'catalogue: true' to them."
      )
    }
    return schema.catalogues.map(\.string)
  }

  func selection(isDeep: Bool, _ schema: DatabaseSchema) throws(Failure) -> CollectionSelection {
    CollectionSelection(try names(schema), isDeep: isDeep)
  }
}
