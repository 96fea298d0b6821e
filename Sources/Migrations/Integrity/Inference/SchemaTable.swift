package import Files
import MigrationEngine
package import Schema

/// A profile or a schema as a table, for a terminal or as an HTML page.
package struct SchemaTable: Sendable {
  package let headings: [String]
  /// The rows, which begin with the collection.
  package let rows: [[String]]
  private let title: String

  /// Creates a table of profiles, with a row per field.
  package init(of profiles: [CollectionProfile], references: [CollectionPath: [FieldPath: CollectionPath]]) {
    title = "Profile"
    headings = ["COLLECTION", "FIELD", "PRESENT", "TYPES", "VALUES", "REFERS TO"]
    rows = profiles.flatMap { profile in
      [[profile.pattern.string, "", "\(profile.documents)", "", Self.ids(profile), ""]]
        + profile.fields.map { field in
          [
            profile.pattern.string, field.path.description,
            Self.share(field.profile.present, of: field.outOf),
            Self.types(field), Self.values(field.profile),
            references[profile.pattern]?[field.path]?.string ?? "",
          ]
        }
    }
  }

  /// Creates a table of a schema, with a row per field.
  package init(of schema: DatabaseSchema) {
    title = "Schema \(schema.name)"
    headings = ["COLLECTION", "FIELD", "TYPE", "REQUIRED", "VALUES", "REFERS TO"]
    rows = schema.collections.flatMap { collection in
      collection.fields.map { field in
        let values =
          field.values.map { $0.map(\.literal).joined(separator: ", ") } ?? field.format.map(\.description)
          ?? (field.range.isEmpty ? "" : field.range.description)
        return [
          collection.pattern.string, field.path.description, field.types.isEmpty ? "any" : field.typeNames,
          field.isRequired ? "yes" : "", values, field.reference?.collection.string ?? "",
        ]
      }
    }
  }

  private static func ids(_ profile: CollectionProfile) -> String {
    if profile.ids.hasFormat(.uuid) { return "ids: UUIDs" }
    if profile.ids.hasFormat(.email) { return "ids: email addresses" }
    return "ids: up to \(profile.ids.maximumLength) characters"
  }

  private static func share(_ count: Int, of total: Int) -> String {
    if count == total { return "100 %" }
    if count == 0 || total == 0 { return "0 %" }
    // Rounding must never yield 0 % or 100 %.
    let tenths = min(999, max(1, (count * 1000 + total / 2) / total))
    return "\(tenths / 10).\(tenths % 10) %"
  }

  private static func types(_ field: CollectionProfile.Field) -> String {
    let profile = field.profile
    let types = profile.types
    var parts =
      types.count == 1 && profile.nulls == 0
      ? [types[0].type.rawValue] : types.map { "\($0.type.rawValue) \(share($0.count, of: profile.present))" }
    if profile.nulls > 0 { parts.append("null \(share(profile.nulls, of: profile.present))") }
    if profile.blanks > 0 { parts.append("blank \(share(profile.blanks, of: profile.present))") }
    if field.isOpaque { parts.append("keys are data") }
    return parts.joined(separator: ", ")
  }

  private static func values(_ profile: FieldProfile) -> String {
    if let values = profile.closedValues {
      return values.map { "\($0.text) (\($0.count))" }.joined(separator: ", ")
    }
    if let format = profile.format { return format.description }
    if let minimum = profile.minimum, let maximum = profile.maximum {
      return minimum == maximum ? minimum.literal : "\(minimum.literal) to \(maximum.literal)"
    }
    return profile.maximumLength > 0 ? "up to \(profile.maximumLength) long" : ""
  }

  // MARK: Output

  /// The table with aligned columns, for a terminal.
  package var text: TerminalText {
    "\(TerminalText.aligned([headings] + rows).joined(separator: "\n"))\n"
  }

  /// The table as a self-contained HTML page.
  package var html: [UInt8] {
    var body: Markup = ""
    var collection = ""
    for row in rows {
      let isFirst = !row[0].isIdentical(to: collection)
      collection = row[0]
      body += isFirst ? "<tr class=\"first\">" : "<tr>"
      for (index, cell) in row.enumerated() { body += index > 0 || isFirst ? "<td>\(cell)" : "<td>" }
      body += "</tr>\n"
    }
    let page: Markup = """
      <!DOCTYPE html>
      <html lang="en"><head><meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
      <title>\(title)</title><style>
      :root { color-scheme: light dark; font: 15px/1.45 system-ui, sans-serif; }
      body { margin: 2rem auto; max-width: 75rem; padding: 0 1rem; }
      div { overflow-x: auto; }
      table { border-collapse: collapse; width: 100%; }
      th, td { text-align: left; vertical-align: top; padding: .3rem .8rem .3rem 0; border-bottom: 1px solid #8884; }
      td:nth-child(2), td:nth-child(5) { overflow-wrap: anywhere; }
      tr.first td { border-top: 2px solid #888; }
      </style></head><body><h1>\(title)</h1><div><table><thead><tr>\
      \(headings.map { "<th>\($0.prefix(1) + $0.dropFirst().lowercased())" })</tr></thead><tbody>
      \(body)</tbody></table></div></body></html>

      """
    return page.bytes
  }
}
