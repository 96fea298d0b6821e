import YAML

/// Reads a schema file: the collections, their fields, and what commands may do with them.
///
/// docs/schema.md lists the keys.
///
///     schema: shop
///     time-zone: Europe/Madrid
///     collections:
///       customers:
///         update-time: updatedAt
///         fields:
///           name: { type: string, required: true, label: { es: Nombre } }
///           updatedAt: timestamp
package struct SchemaReader {
  private let yaml: YAMLFile

  /// Parses a schema file.
  ///
  /// - Parameters:
  ///   - days: Returns the start of days in a time zone, for `ts(2026-01-31)`; by default, such days are refused in a schema
  ///     that names a zone.
  ///   - requiresZone: Whether an unknown zone is an error even if the schema has no such days. A system may lack the zones
  ///     that a schema names, and needs them only for dates.
  /// - Throws: `.configuration` with the line and column of the error, and what was expected there.
  package static func schema(
    parsing text: String,
    path: String,
    days: (String) throws(Failure) -> LiteralContext.DayStart = Self.noDays,
    requiresZone: Bool = false
  ) throws(Failure) -> DatabaseSchema {
    let yaml = YAMLFile(path, kind: .configuration, operation: "read the schema")
    let root = try yaml.parse(text, allowsAliases: false)
    return try SchemaReader(yaml: yaml).schema(root, days, requiresZone)
  }

  package static func noDays(in zone: String) throws(Failure) -> LiteralContext.DayStart {
    throw Failure(
      .configuration,
      "read the time zone",
      path: zone,
      cause: "days of a time zone are not known here; write the moment, as ts(2026-01-31T00:00:00Z)"
    )
  }

  private func schema(
    _ root: YAMLNode,
    _ days: (String) throws(Failure) -> LiteralContext.DayStart,
    _ requiresZone: Bool
  ) throws(Failure) -> DatabaseSchema {
    var name: String?
    var timeZone: String?
    var context = LiteralContext(database: nil)
    var entries: [(name: String, key: YAMLNode, value: YAMLNode)] = []
    let known = ["schema", "time-zone", "collections"]
    for (member, _, value) in try yaml.members(root, "a schema", known: known) {
      switch member {
      case "schema": name = try yaml.text(value, "schema")
      case "time-zone":
        let zone = try yaml.text(value, "time-zone")
        do throws(Failure) {
          context = LiteralContext(database: nil, startOfDay: try days(zone))
        } catch {
          let cause = "'\(zone)': \(error.cause)"
          if requiresZone {
            var failure = yaml.failure(at: value, cause)
            failure.remedy = error.remedy
            throw failure
          }
          context = LiteralContext(database: nil) { _, _, _ throws(WireError) in throw WireError(cause) }
        }
        timeZone = zone
      default: entries = try yaml.members(value, "'collections'", known: nil)
      }
    }
    guard let name else { throw yaml.failure(at: root, "it has no name; expected 'schema: NAME'") }
    if entries.isEmpty {
      throw yaml.failure(at: root, "it declares no collections; expected 'collections:' with one at least")
    }
    var collections: [CollectionSchema] = []
    var readers: [CollectionReader] = []
    for (text, key, value) in entries {
      var reader = CollectionReader(SchemaNodes(yaml, context), try pattern(text, at: key))
      collections.append(try reader.collection(value))
      readers.append(reader)
    }
    let schema = DatabaseSchema(name: name, timeZone: timeZone, collections: collections)
    for reader in readers { try reader.checkReferences(in: schema) }
    return schema
  }

  private func pattern(_ text: String, at key: YAMLNode) throws(Failure) -> CollectionPath {
    guard let path = CollectionPath(text), path.pattern == path else {
      throw yaml.failure(
        at: key,
        "'\(text)' is not a collection; expected a path with * for document IDs, as orders or orders/*/items"
      )
    }
    return path
  }
}
