/// `gymmigrate get`: prints documents, given by their paths.
struct GetCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "get",
    abstract: "Print documents by their paths.",
    discussion: """
      Prints one line per document, as JSON Lines have it, in the order of the command line; with --format text one \
      line per field instead. Exits with 66 when a document does not exist, once the others are printed. A read is \
      billed for each path.

        gymmigrate get users/08IiQGmf0KBE9bwAj65r3ctInVea -e stage
        gymmigrate get orders/o1 -e stage --format text
      """
  )

  /// The output format, named as on the command line.
  enum Format: String, CaseIterable, ExpressibleByArgument {
    case jsonl, text
  }

  @Argument(help: "Paths of documents, as users/u1 or orders/o1/items/i1.")
  var paths: [String]

  @Option(help: "jsonl or text.")
  var format = Format.jsonl

  @Flag(help: "Print JSON instead of lines.") var json = false

  @OptionGroup var moment: MomentOptions
  @OptionGroup var snapshot: SnapshotOptions
  @OptionGroup var common: PrintingOptions

  func validate() throws {
    try snapshot.validate(common.connection, moment)
    for path in paths { _ = try TypedValue.document(path) }
  }

  func run() async throws {
    let paths = paths.compactMap { DocumentPath($0) }
    try await common.perform("get", on: snapshot.connection(common.connection)) { session in
      let readTime = try await session.moment(moment.readTime ?? .none)
      let found = try await session.client.batchGet(paths, readTime: readTime)
      let documents = paths.compactMap { found[$0] }
      for document in found.values { session.counts.update(document.path.collection) { $0.read += 1 } }
      if json {
        try StandardOutput.writeArray { $0.documents(documents) }
      } else {
        for document in documents {
          if format == .text {
            try StandardOutput.write(Self.text(document))
          } else {
            let line = JSONWriter.bytes { $0.document(document, in: nil, times: false) }
            try StandardOutput.write(data: line + [UInt8(ascii: "\n")])
          }
        }
      }
      if let missing = paths.first(where: { found[$0] == nil }) {
        await session.warnOfMissing(missing, at: readTime)
      }
      try Failure.assertFound(paths, in: found)
      return CommandResult()
    }
  }

  /// The path, followed by a line per field with its path and its literal, or its REST value if there is no literal.
  private static func text(_ document: RawDocument) -> TerminalText {
    var lines: [TerminalText] = ["\(document.path)"]
    append(document.fields, below: [], to: &lines)
    return "\(lines.joined(separator: "\n"))\n"
  }

  private static func append(_ fields: FieldMap, below parent: [String], to lines: inout [TerminalText]) {
    for entry in fields.entries {
      let segments = parent + [entry.name]
      if case .map(let map) = entry.value, map.vector == nil, !map.isEmpty {
        append(map, below: segments, to: &lines)
        continue
      }
      let name = FieldPath(segments: segments)?.description ?? entry.name
      lines.append("  \(name): \(shown(entry.value))")
    }
  }

  private static func shown(_ value: Value) -> String {
    switch value {
    case .timestamp(let time): time.description
    case .reference(let name): name
    case .double: JSONWriter.text { $0.value(value) }
    default: ValueText.text(value)
    }
  }
}

extension Failure {
  /// Checks that all documents were found; names all that were not.
  ///
  /// - Throws: `.inputMissing`.
  static func assertFound(
    _ paths: [DocumentPath],
    in found: [DocumentPath: RawDocument],
    addition: String = "",
    remedy: String? = nil
  ) throws(Failure) {
    let missing = paths.filter { found[$0] == nil }
    if missing.isEmpty { return }
    throw Failure(
      .inputMissing,
      missing.count == 1 ? "find the document" : "find the documents",
      path: missing.map(\.string).joined(separator: ", "),
      cause: "\(missing.count == 1 ? "there is none" : "there are none")\(addition)",
      remedy: remedy
    )
  }
}
