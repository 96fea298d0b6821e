import Transfer

/// The collections of a command with two databases: names and patterns, all, or the catalogues of the schema.
struct SelectionArguments: ParsableArguments {
  @Argument(help: CollectionArguments.help, completion: CompletionValues.collections)
  var collections: [String] = []

  @Flag(help: "Every root collection except gymmigrate's own.")
  var all = false

  @Flag(help: "The schema's catalogues: the collections that all environments share.")
  var catalogues = false

  @OptionGroup var emptiness: EmptinessOptions

  func validate() throws {
    try CollectionArguments.validate(collections)
  }

  func assertOne() throws {
    if [all, catalogues, !collections.isEmpty].filter({ $0 }).count != 1 {
      throw ValidationError("Name collections, or give --all or --catalogues; one of the three.")
    }
  }

  var settings: SelectionSettings {
    var settings = SelectionSettings()
    (settings.collections, settings.all, settings.catalogues) = (collections, all, catalogues)
    settings.failIfEmpty = emptiness.failIfEmpty
    return settings
  }
}
