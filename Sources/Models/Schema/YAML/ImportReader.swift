import YAML

/// Reads `import:` of a collection: the options of tables, named as on the command line.
struct ImportReader {
  private let nodes: SchemaNodes
  private var yaml: YAMLFile { nodes.yaml }

  init(_ nodes: SchemaNodes) { self.nodes = nodes }

  func settings(_ node: YAMLNode) throws(Failure) -> ImportSettings {
    var settings = ImportSettings()
    let known = ["files", "sheet"] + TableReading.options.map(\.name)
    let members = try yaml.members(node, "'import'", known: known)
    for (name, _, value) in members {
      switch name {
      case "files":
        settings.files =
          if case .sequence = value.content { try nodes.texts(value, name) } else {
            [try yaml.text(value, name)]
          }
      case "sheet": settings.sheet = try yaml.text(value, name)
      default:
        guard let option = TableReading.options.first(where: { $0.name.isIdentical(to: name) }) else {
          continue
        }
        try set(option, value, &settings.reading)
      }
    }
    if let second = members.first(where: { $0.name == "skip-rows" }),
      members.contains(where: { $0.name == "header-row" })
    {
      throw yaml.failure(at: second.key, "'skip-rows' beside 'header-row'; expected one of them")
    }
    return settings
  }

  /// Sets an option from a scalar, from each element of a list, or from a map of headings.
  private func set(
    _ option: TableReading.Option,
    _ node: YAMLNode,
    _ reading: inout TableReading
  ) throws(Failure) {
    switch node.content {
    case .mapping where option.setHeading != nil:
      for (heading, _, value) in try yaml.members(node, "'\(option.name)'", known: nil) {
        let text = try yaml.text(value, heading)
        if option.setHeading?(heading, text, &reading) ?? false { continue }
        throw nodes.unexpected(value, heading, option.expectation)
      }
    case .sequence(let items) where option.takesSeveral && !items.isEmpty:
      for item in items { try setText(option, item, &reading) }
    default: try setText(option, node, &reading)
    }
  }

  private func setText(
    _ option: TableReading.Option,
    _ node: YAMLNode,
    _ reading: inout TableReading
  ) throws(Failure) {
    guard let text = node.text, option.set(text, &reading) else {
      throw nodes.unexpected(node, option.name, option.expectation)
    }
  }
}
