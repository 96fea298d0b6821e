import Files
import Schema
import Tables

extension ImportSource {
  /// Returns sentences about files whose types depend on the schema that they were exported with, which is not that of the
  /// import.
  static func warnings(of sources: [ImportSource], importedBy schema: DatabaseSchema) -> [String] {
    let others = sources.filter { $0.writing.schema.map { !$0.isIdentical(to: schema.name) } ?? false }
    return Set(others.compactMap(\.writing.schema)).sorted().map { name in
      let found = others.filter { $0.writing.schema?.isIdentical(to: name) ?? false }
      let types =
        found.contains { $0.format == .json }
        ? "A time, a reference or bytes are a text, and a point is a map, and not of the types that the other schema declares."
        : "A cell such as 7 or 21 is an integer, and not the text or the double that the other schema declares."
      let language = found.lazy.compactMap(\.writing.headerLanguage).first
      let headings =
        language.map { " The headings are its labels in '\($0)', and become the names of fields." } ?? ""
      let given = schema.name == "none" ? "none" : "'\(schema.name)'"
      return
        "\(FilePaths.list(found.map(\.label))): exported with the schema '\(name)', and imported with \(given). \(types)\(headings) Give --schema with the schema of the export."
    }
  }
}
