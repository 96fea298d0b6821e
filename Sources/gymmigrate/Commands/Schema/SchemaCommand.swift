import Configuration
import Integrity
import Logging
import Schema
import Tables
import YAML

/// `gymmigrate schema`: shows and infers schemas.
struct SchemaCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema",
    abstract: "Show, check and infer the schema of the data.",
    discussion: """
      A schema is a YAML file that says what the collections and their fields are (docs/schema.md). Export, import, \
      check, find, copy, fix and delete go by it. It is named by 'schema:' in gymmigrate.yaml or by --schema.

        gymmigrate schema infer -e local -o shop.yaml
        gymmigrate schema validate shop.yaml
        gymmigrate schema show --schema shop.yaml
        gymmigrate schema drift -e local --schema shop.yaml
      """,
    subcommands: [SchemaShow.self, SchemaValidate.self, SchemaInfer.self, SchemaDriftCommand.self]
  )
}

/// The format of a schema or a profile, named as on the command line.
enum SchemaFormat: String, CaseIterable, ExpressibleByArgument {
  case yaml, table, html

  /// Returns the given format, or else that of the file name.
  static func given(
    _ format: SchemaFormat?,
    for output: String,
    else usual: SchemaFormat
  ) throws -> SchemaFormat {
    if let format { return format }
    switch FileName(output).kind {
    case .html: return .html
    // YAML is recognizable under any extension.
    case _ where usual == .yaml: return .yaml
    case nil, .txt: return usual
    default:
      throw ValidationError("--output: '\(output)' does not name a format; give another name, or --format.")
    }
  }
}

struct SchemaShow: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Show the schema that is in use.",
    discussion: """
      Prints it as YAML, the whole of a built-in one with its comments, so that it can be changed and used as your own.

        gymmigrate schema show > mine.yaml
        gymmigrate schema show --format table
      """
  )

  @OptionGroup var files: ConfigurationOptions

  @Option(help: "yaml, table or html (default: as --output ends, else yaml).")
  var format: SchemaFormat?

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("A file, or - for standard output.").withDefault("-"),
    as: TypedValue.localFile.named("path")
  )
  var output = "-"

  @Flag(help: "Print a JSON object on standard output: the collections with their fields.") var json = false

  func validate() throws {
    if json, output != "-" { throw ValidationError("--json prints on standard output: leave --output out.") }
    _ = try SchemaFormat.given(format, for: output, else: .yaml)
  }

  func run() async throws {
    let resolver = ConfigurationResolver(files)
    let schema = try resolver.schema()
    try schema.assertDeclared(to: "show the schema")
    if json { return try StandardOutput.writeObject { Self.write(schema, to: &$0) } }
    let table = SchemaTable(of: schema)
    switch try SchemaFormat.given(format, for: output, else: .yaml) {
    case .yaml: try Self.write(Array(try resolver.schemaText(of: schema).utf8), to: output)
    case .table where output == "-": try StandardOutput.write(table.text)
    case .table: try Self.write(Array("\(table.text)".utf8), to: output)
    case .html: try Self.write(table.html, to: output)
    }
    if output != "-" { OutputSettings().logger().notice("See \(output).") }
  }

  private static func write(_ schema: DatabaseSchema, to json: inout JSONWriter) {
    json.member("collections", objects: schema.collections) {
      $0.member("collection", $1.pattern.string)
      $0.member("fields", objects: $1.fields) { write($1, to: &$0) }
    }
    json.member("schema", schema.name)
  }

  private static func write(_ field: FieldSchema, to json: inout JSONWriter) {
    json.member("field", field.path.description)
    json.member("refersTo", field.reference?.collection.string)
    json.member("required", field.isRequired)
    json.member("types", strings: field.types.map(\.rawValue))
    if let values = field.values {
      json.key("values")
      json.array { list in for value in values { list.value(value) } }
    }
  }

  /// Writes a file atomically, or writes to standard output.
  static func write(_ bytes: [UInt8], to output: String) throws {
    if output == "-" { return try StandardOutput.write(data: bytes) }
    try OutputFile.write(bytes, to: output)
  }
}

extension DatabaseSchema {
  /// Refuses an operation that requires a schema if there is none.
  ///
  /// - Throws: `.usage`.
  func assertDeclared(to operation: String, cause: String = "there is none") throws(Failure) {
    guard isEmpty else { return }
    throw Failure(
      .usage,
      operation,
      cause: cause,
      remedy: "Name one with --schema; 'gymmigrate schema infer' makes one from the data."
    )
  }
}

struct SchemaValidate: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "validate",
    abstract: "Check a schema file.",
    discussion: "Exits with 65 and the line and column of the first error; nothing is sent."
  )

  @Argument(help: "The file.", transform: TypedValue.localFile.read)
  var file: String

  @Flag(help: "Print JSON instead of lines.") var json = false

  func run() async throws {
    let yaml = YAMLFile(file, kind: .inputMalformed, operation: "read the schema")
    let schema: DatabaseSchema
    do throws(Failure) {
      schema = try SchemaReader.schema(
        parsing: try yaml.text(),
        path: file,
        days: LocalTimeZone.days,
        requiresZone: true
      )
    } catch {
      guard error.kind == .configuration else { throw error }
      throw Failure(
        .inputMalformed,
        error.operation,
        path: error.path,
        cause: error.cause,
        remedy: error.remedy ?? "docs/schema.md explains the keys."
      )
    }
    let fields = schema.collections.reduce(0) { $0 + $1.fields.count }
    if json {
      return try StandardOutput.writeObject {
        $0.member("collections", schema.collections.count)
        $0.member("fields", fields)
        $0.member("file", file)
        $0.member("schema", schema.name)
      }
    }
    try StandardOutput.write(
      "\(file): the schema '\(schema.name)' declares \(NumberText.counted(schema.collections.count, "collection")) and \(NumberText.counted(fields, "field")).\n"
    )
  }
}
