import ArgumentParser
import Configuration
import Files
import FirestoreModels
import FirestoreREST
import Integrity
import Schema
import YAML

/// `gymmigrate schema`: what the collections are.
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

/// How a schema or a profile is shown, by its name on the command line.
enum SchemaFormat: String, CaseIterable, ExpressibleByArgument {
  case yaml, table, html
}

/// `gymmigrate schema show`.
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

  @Option(help: "yaml, table or html.")
  var format = SchemaFormat.yaml

  @Option(name: .shortAndLong, help: ArgumentHelp("A file, or - for standard output.", valueName: "path"))
  var output = "-"

  @Flag(help: "Print a JSON object on standard output: the collections with their fields.") var json = false

  func validate() throws {
    if json, output != "-" { throw ValidationError("--json prints on standard output: leave --output out.") }
  }

  func run() async throws {
    let resolver = ConfigurationResolver(files)
    let schema = try resolver.schema()
    if schema.isEmpty {
      throw Failure(
        .usage,
        "show the schema",
        path: schema.name,
        cause: "there is none",
        remedy: "Name one with --schema; 'gymmigrate schema infer' makes one from the data."
      )
    }
    if json { return try StandardOutput.write(json: Self.json(schema) + [UInt8(ascii: "\n")]) }
    let table = SchemaTable(of: schema)
    switch format {
    case .yaml:
      let text = try resolver.schemaText(of: schema)
      try Self.write(Array(text.utf8), to: output)
    case .table where output == "-": try StandardOutput.write(table.text)
    case .table: try Self.write(Array("\(table.text)".utf8), to: output)
    case .html: try Self.write(table.html, to: output)
    }
  }

  private static func json(_ schema: DatabaseSchema) -> [UInt8] {
    var json = JSONWriter()
    json.object {
      $0.key("collections")
      $0.array { list in
        for collection in schema.collections {
          list.object {
            $0.key("collection")
            $0.string(collection.pattern.string)
            $0.key("fields")
            $0.array { fields in for field in collection.fields { fields.object { write(field, to: &$0) } } }
          }
        }
      }
      $0.key("schema")
      $0.string(schema.name)
    }
    return json.bytes
  }

  private static func write(_ field: FieldSchema, to json: inout JSONWriter) {
    json.key("field")
    json.string(field.path.description)
    if let reference = field.reference {
      json.key("refersTo")
      json.string(reference.collection.string)
    }
    json.key("required")
    json.boolean(field.isRequired)
    json.key("types")
    json.array { types in for type in field.types { types.string(type.rawValue) } }
    if let values = field.values {
      json.key("values")
      json.array { list in for value in values { list.value(value) } }
    }
  }

  /// Writes a file that is there whole or not at all, or standard output.
  static func write(_ bytes: [UInt8], to output: String) throws {
    if output == "-" { return try StandardOutput.write(data: bytes) }
    var file = try OutputFile(output)
    try file.write(bytes)
    _ = try file.finish()
  }
}

/// `gymmigrate schema validate`.
struct SchemaValidate: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "validate",
    abstract: "Check a schema file.",
    discussion: "Exits with 65 and the line and column of the first error; nothing is sent."
  )

  @Argument(help: "The file.")
  var file: String

  @Flag(help: "Print a JSON object on standard output.") var json = false

  func run() async throws {
    let yaml = YAMLFile(file, kind: .inputMalformed, operation: "read the schema")
    let schema: DatabaseSchema
    do throws(Failure) {
      schema = try SchemaReader.schema(parsing: String(decoding: try yaml.bytes(), as: UTF8.self), path: file)
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
      var json = JSONWriter()
      json.object {
        $0.key("collections")
        $0.integer(schema.collections.count)
        $0.key("fields")
        $0.integer(fields)
        $0.key("file")
        $0.string(file)
        $0.key("schema")
        $0.string(schema.name)
      }
      return try StandardOutput.write(json: json.bytes + [UInt8(ascii: "\n")])
    }
    try StandardOutput.write(
      "\(file): the schema \(schema.name) declares \(schema.collections.count) collections and \(fields) fields.\n"
    )
  }
}
