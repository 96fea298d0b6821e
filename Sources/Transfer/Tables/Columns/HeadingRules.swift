import FirestoreModels
import Schema

/// What the user should know about a column.
package struct ColumnNote: Sendable {
  package let text: String
  /// Whether its heading names no declared field, and is probably misspelt.
  package var isDoubt = false
}

extension FieldPath {
  /// The path with back-quotes around each name, which no label has.
  var quoted: String { segments.map { "`\($0)`" }.joined(separator: ".") }
}

/// The fields that headings mean.
package struct HeadingRules {
  struct Found {
    var column: Column
    /// The type that the heading gives.
    var type: ColumnType?
    /// The heading without that type.
    var name: String
    /// What the user should know about the field.
    var note: String?
  }

  struct Defect: Error {
    var cause: String
    var remedy: String
  }

  let catalogue: [Column]
  let style: HeadingStyle
  /// The fields that options give to headings.
  let renames: [HeadingOption<FieldPath>]
  /// How many of them the schema says; they come first.
  let declaredRenames: Int
  /// The headings of the table, also without the types that they give; empty if they are unknown.
  let headings: Set<UTF8Key>

  /// Returns what a heading means.
  ///
  /// An option means the heading that is exactly as it says, or else those that read alike.
  func column(_ heading: String) throws(Defect) -> Found {
    let (name, type) = Self.typed(heading)
    if var renamed = renamed(heading) ?? renamed(name) {
      renamed.type = type
      return renamed
    }
    if let known = try known(heading) { return Found(column: known, name: heading) }
    if type == nil, style == .path, let typeName = Self.typeName(heading) {
      throw Defect(
        cause: "'\(typeName)' is not a type",
        remedy: "The types are \(ColumnType.description); --headings literal takes the heading as a name."
      )
    }
    var found = Found(column: Column(unknown: .documentName), type: type, name: name)
    if type != nil, let known = try known(name) {
      found.column = known
      return found
    }
    let path = try path(found.name)
    if let reserved = path.segments.first(where: { $0.hasPrefix("__") && $0.hasSuffix("__") }) {
      throw Defect(cause: "the service reserves names such as \(reserved)", remedy: "Rename the column.")
    }
    found.column = column(path)
    found.note = note(found.name, path)
    return found
  }

  /// Returns a heading that means a field, back-quoted if it could be read as the label of another one.
  func heading(of path: FieldPath) -> String {
    let text = path.description
    let isLabel = catalogue.contains { $0.path != path && $0.isLabelled(like: text) }
    return isLabel && !catalogue.contains { $0.path == path } ? path.quoted : text
  }

  /// Returns the field that an option gives a column, whatever its heading is.
  func column(_ path: FieldPath, of heading: String) -> Found {
    Found(column: column(path), name: heading, note: "the field \(path)")
  }

  /// Returns the text after the last colon of a heading that is not a path.
  private static func typeName(_ heading: String) -> String? {
    guard (try? FieldPath(parsing: heading)) == nil, let colon = heading.utf8.lastIndex(of: UInt8(ascii: ":"))
    else { return nil }
    return String(heading[heading.utf8.index(after: colon)...])
  }

  /// Splits a heading into its name and the type that it gives.
  static func typed(_ heading: String) -> (name: String, type: ColumnType?) {
    guard let name = typeName(heading), let type = ColumnType(named: name) else { return (heading, nil) }
    return (
      PlainText.trimmed(String(decoding: heading.utf8.dropLast(name.utf8.count + 1), as: UTF8.self)), type
    )
  }

  /// Returns what a heading means but for options; nil if it means nothing.
  func ownField(_ heading: String) -> FieldPath? {
    let own = HeadingRules(catalogue: catalogue, style: style, renames: [], declaredRenames: 0, headings: [])
    return (try? own.column(heading))?.column.path
  }

  private func renamed(_ name: String) -> Found? {
    rename(name).map { Found(column: column($0), name: name, note: "the field \($0)") }
  }

  private func rename(_ name: String) -> FieldPath? {
    let exact = renames.lastIndex { $0.heading.isIdentical(to: name) }
    let alike = renames.lastIndex {
      !headings.contains(UTF8Key($0.heading)) && PlainText.saySame($0.heading, name)
    }
    // An option of the command line overrides what the schema says.
    let isOverridden = (exact ?? 0) < declaredRenames && (alike ?? 0) >= declaredRenames
    return ((isOverridden ? nil : exact) ?? alike ?? exact).map { renames[$0].value }
  }

  private func column(_ path: FieldPath) -> Column {
    catalogue.first { $0.path == path } ?? Column(unknown: path)
  }

  /// Returns the declared column of a field or label, ignoring case, accents and extra white space in labels.
  private func known(_ heading: String) throws(Defect) -> Column? {
    let exact =
      catalogue.first { $0.path.description.isIdentical(to: heading) }
      ?? catalogue.first { $0.isLabelled(heading) }
    if let exact { return exact }
    let alike = catalogue.filter { $0.isLabelled(like: heading) }
    if alike.count < 2 { return alike.first }
    let fields = alike.map(\.path.description).joined(separator: " or ")
    throw Defect(
      cause: "'\(heading)' may be the label of \(fields)",
      remedy: "Write the label as the schema does, or the name of the field."
    )
  }

  /// Returns what the user should know about a heading that names no declared field, but almost one that has no column.
  ///
  /// It keeps its literal meaning, because names that differ in case are different fields.
  func doubt(_ heading: String, of path: FieldPath, beside found: Set<FieldPath>) -> String? {
    let isQuoted = heading.utf8.contains(UInt8(ascii: "`"))
    // A map only has columns for its members.
    let isDeclared = catalogue.contains { $0.path == path || path.isPrefix(of: $0.path) }
    if isQuoted || rename(heading) != nil || isDeclared { return nil }
    // A member of a map is never meant to be the map itself.
    let others = catalogue.filter { column in
      !found.contains(column.path) && column.path.segments.count >= path.segments.count
    }
    let texts = others.flatMap { column in
      (column.labels.values + [column.path.description]).map { (PlainText.folded($0), column.path) }
    }
    let near = PlainText.folded(heading).nearest(of: texts.map(\.0))
    return texts.first { text, _ in near?.isIdentical(to: text) ?? false }.map { _, meant in
      "no field of the schema; --rename '\(heading)=\(meant)' takes it for \(meant)"
    }
  }

  private func path(_ name: String) throws(Defect) -> FieldPath {
    let isQuoted = name.utf8.contains(UInt8(ascii: "`"))
    if style == .path || isQuoted {
      do throws(FieldPathError) {
        return try FieldPath(parsing: name)
      } catch {
        guard isQuoted, style == .path else { return FieldPath(field: name) }
        let remedy = "Use a field name, a label of the schema, or back-quotes around any other name."
        throw Defect(cause: error.description, remedy: remedy)
      }
    }
    if style == .literal { return FieldPath(field: name) }
    let words = Self.words(of: name)
    guard let first = words.first else {
      throw Defect(
        cause: "'\(name)' has no letter or digit",
        remedy: "Name its field with --rename '\(name)=FIELD'."
      )
    }
    if style == .snake { return FieldPath(field: words.joined(separator: "_")) }
    return FieldPath(
      field: words.dropFirst().reduce(first) { $0 + $1.prefix(1).uppercased() + $1.dropFirst() }
    )
  }

  private func note(_ name: String, _ path: FieldPath) -> String? {
    switch style {
    case .path: nil
    case .literal:
      path.segments.count == 1 && ((try? FieldPath(parsing: name))?.segments.count ?? 1) > 1
        ? "the field of that very name (--headings path reads the members of a map)" : nil
    case .snake, .camel: path.segments.last?.isIdentical(to: name) ?? true ? nil : "the field \(path)"
    }
  }

  /// Returns the words of a heading in lower case without accents: runs of letters and digits, also divided before
  /// capitals.
  private static func words(of heading: String) -> [String] {
    var words = [""]
    var isBehindSmall = false
    for scalar in heading.unicodeScalars {
      let properties = scalar.properties
      if properties.isAlphabetic || properties.numericType == .decimal {
        if properties.isUppercase, isBehindSmall { words.append("") }
        words[words.count - 1].unicodeScalars.append(scalar)
        isBehindSmall = !properties.isUppercase
      } else if properties.generalCategory == .nonspacingMark {
        words[words.count - 1].unicodeScalars.append(scalar)
      } else {
        words.append("")
        isBehindSmall = false
      }
    }
    return words.filter { !$0.isEmpty }.map(PlainText.folded)
  }
}
