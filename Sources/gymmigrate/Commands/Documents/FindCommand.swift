import Logging
import Schema

/// `gymmigrate find`: searches documents for text.
struct FindCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "find",
    abstract: "Find documents by name, email or phone.",
    discussion: """
      Reads all of the collections that the schema declares searchable (--collection for others), deleted documents \
      included, each for a read, and ignores case, accents, and kinds of apostrophes, quotes and hyphens. A document is found where every word of the text is a part of a searched field; \
      the words may be in several. These are those that the schema names, or else every text of the document, \
      also in maps and arrays. Three digits or more also find every phone that has them in a row, in the fields that the schema names as phones; \
      of more than ten, the last ten are enough, so that a country code may be typed that is not stored. \
      Prints one line per document: its path and the fields that match, separated by tabs.

        gymmigrate find 'lia cardenas' -e stage
        gymmigrate find '(729) 959' -e stage --json
        gymmigrate find proteina --collection products -e stage --limit 5
      """
  )

  @Argument(help: "Words, or digits of a phone.")
  var text: String

  @Option(
    help: "Where to look, several with commas in between (default: where the schema says).",
    as: TypedValue.text("paths")
  )
  var collection: String?

  @Option(help: ArgumentHelp("Stop after this number of documents.", valueName: "n"), from: 1)
  var limit: Int?

  @Flag(help: "Print one JSON object per line: the path, and the text of each field that matches.")
  var json = false

  @OptionGroup(title: "Which documents") var query: QueryOptions
  @OptionGroup var moment: MomentOptions
  @OptionGroup var snapshot: SnapshotOptions
  @OptionGroup var common: PrintingOptions

  /// The named collections; nil if none are named.
  private var named: [String]? {
    collection?.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
  }

  private func names(_ schema: DatabaseSchema) throws(Failure) -> [String] {
    if let named { return named }
    let searchable = schema.searchable
    if !searchable.isEmpty { return searchable.map(\.string) }
    throw Failure(
      .usage,
      "choose where to look",
      cause: "no schema declares a collection searchable",
      remedy: "Name collections with --collection, or add 'search:' to them."
    )
  }

  func validate() throws {
    if TextSearch(text) == nil {
      throw ValidationError("Say what to look for: '\(text)' is neither a word nor digits of a phone.")
    }
    try snapshot.validate(common.connection, moment)
    if let named { try CollectionArguments.validate(named, all: false, query) }
  }

  func run() async throws {
    guard let search = TextSearch(text) else { return }
    let connection = snapshot.connection(common.connection)
    let resolver = EnvironmentResolver(connection)
    // An environment that does not exist explains a missing schema.
    _ = try resolver.named()
    let names = try names(try resolver.schema())
    try CollectionArguments.validate(names, all: false, query)
    let selection = CollectionSelection(names, isDeep: false)
    try await common.perform("find", on: connection) { session in
      var found = 0
      let readTime = try await session.moment(moment.readTime ?? .none)
      let reads = try await session.reads(of: selection, query.settings, at: readTime)
      for var read in reads {
        if read.reach == .collection, let collection = session.schema.collection(read.collection),
          let texts = collection.searchedTexts
        {
          read.mask = texts + collection.searchedPhones
        }
        session.counts.open(read.collection)
        session.progress.begin(read.collection.string, total: nil)
        for try await page in session.client.pages(of: read) {
          try Task.checkCancellation()
          for document in page {
            session.counts.update(document.path.collection) { $0.read += 1 }
            let declared = session.schema.collection(document.path.collection)
            let matches = search.matches(in: document, of: declared)
            if matches.isEmpty { continue }
            if json {
              try StandardOutput.write(data: Self.json(document.path, matches))
            } else {
              try StandardOutput.write(Self.line(document.path, matches))
            }
            found += 1
            if found == limit { return CommandResult() }
          }
          session.progress.advance(by: page.count)
        }
        session.progress.end()
      }
      if found == 0, named != nil { await session.warnOfUnread(reads) }
      if found == 0 { session.logger.notice("\(Self.nothing(in: reads, session.schema, search))") }
      return CommandResult()
    }
  }

  /// Returns a message that nothing was found, with the fields that were searched.
  private static func nothing(
    in reads: [CollectionRead],
    _ schema: DatabaseSchema,
    _ search: TextSearch
  ) -> String {
    var withoutPhones: [String] = []
    let places = reads.map { read in
      let collection = schema.collection(read.kind ?? read.collection)
      if collection?.phones.isEmpty ?? true { withoutPhones.append(read.collection.string) }
      let fields = collection?.searchedFields.map(\.description) ?? ["every text"]
      return "\(fields.isEmpty ? "no declared field" : fields.joined(separator: ", ")) of \(read.collection)"
    }
    let nothing = "Nothing was found. Looked in \(places.joined(separator: "; "))."
    if !search.isOfDigits || withoutPhones.isEmpty { return nothing }
    return
      "\(nothing) The schema names no phones of \(FilePaths.list(withoutPhones)), so that digits were looked for in texts alone, as they are written."
  }

  private static func json(_ path: DocumentPath, _ matches: [TextSearch.Match]) -> [UInt8] {
    let json = JSONWriter.object {
      $0.key("matches")
      $0.object { fields in
        for match in matches {
          fields.key(match.field)
          fields.string(match.text)
        }
      }
      $0.member("path", path.string)
    }
    return json + [UInt8(ascii: "\n")]
  }

  private static func line(_ path: DocumentPath, _ matches: [TextSearch.Match]) -> TerminalText {
    let found = matches.map { match in
      let text = JSONWriter.text { $0.string(match.text) }
      return TerminalText("\t\(match.field)=\(text)")
    }
    return "\(path)\(found.joined())\n"
  }
}
