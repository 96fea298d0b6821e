/// What is learned about a collection's documents in one pass and in constant memory.
///
///     var profile = CollectionProfile(CollectionPath(nil, "customers"))
///     for document in page { profile.add(document) }
///     let schema = profile.schema
package struct CollectionProfile: Sendable {
  /// The maximum number of fields that are profiled individually; in a collection with more, keys are data.
  package static let maximumFields = 1000
  /// The maximum number of fields of one map, beyond which its keys count as data.
  private static let maximumMembers = 100

  package let pattern: CollectionPath
  package private(set) var documents = 0
  /// The document IDs, profiled like a field.
  package private(set) var ids = FieldProfile()
  /// Whether all IDs are without upper-case letters.
  private(set) var hasLowercaseIDs = true
  private var nodes = [Node()]
  private var fieldCount = 0
  /// For each top-level field, the number of documents in which it equals the ID.
  private var idFields: [UTF8Key: Int] = [:]

  /// The fields of a map, or of the documents.
  private struct Node: Sendable {
    /// The names, in byte order.
    var names: [String] = []
    var members: [Member] = []
    /// Whether there are so many names that they count as data.
    var isOpaque = false
  }

  private struct Member: Sendable {
    var profile = FieldProfile()
    /// The node with the fields of the maps.
    var node: Int?
  }

  package init(_ pattern: CollectionPath) { self.pattern = pattern }

  package mutating func add(_ document: RawDocument) {
    documents += 1
    let id = document.path.id
    ids.add(.string(id))
    if hasLowercaseIDs, !id.lowercased().isIdentical(to: id) { hasLowercaseIDs = false }
    add(document.fields, to: 0)
    for entry in document.fields.entries {
      guard case .string(let text) = entry.value, text.isIdentical(to: id) else { continue }
      let key = UTF8Key(entry.name)
      if let count = idFields[key] {
        idFields[key] = count + 1
      } else if documents == 1 {
        idFields[key] = 1
      }
    }
  }

  private mutating func add(_ fields: FieldMap, to node: Int) {
    if nodes[node].isOpaque { return }
    // Both lists are sorted, so they are traversed together.
    var at = 0
    for entry in fields.entries {
      while at < nodes[node].names.count, nodes[node].names[at].compareUTF8(entry.name) < 0 { at += 1 }
      if at == nodes[node].names.count || !nodes[node].names[at].isIdentical(to: entry.name) {
        let isFull = fieldCount == Self.maximumFields
        if node != 0, nodes[node].names.count == Self.maximumMembers || isFull {
          nodes[node] = Node(isOpaque: true)
          return
        }
        if isFull { continue }
        fieldCount += 1
        nodes[node].names.insert(entry.name, at: at)
        nodes[node].members.insert(Member(), at: at)
      }
      nodes[node].members[at].profile.add(entry.value)
      guard case .map(let map) = entry.value, map.vector == nil else { continue }
      let below: Int
      if let known = nodes[node].members[at].node {
        below = known
      } else {
        below = nodes.count
        nodes.append(Node())
        nodes[node].members[at].node = below
      }
      add(map, to: below)
    }
  }

  // MARK: Results

  /// A field with its profile, and the number of documents or maps that could have it.
  package struct Field: Sendable {
    package let path: FieldPath
    package let profile: FieldProfile
    package let outOf: Int
    /// Whether the keys of its maps are data.
    package let isOpaque: Bool

    /// Whether the field is in every document or map, and neither null nor blank.
    package var isEverywhere: Bool { profile.filled == outOf }
  }

  /// The fields, each followed by those of its maps.
  package var fields: [Field] {
    var fields: [Field] = []
    collect(0, below: [], outOf: documents, &fields)
    return fields
  }

  private func collect(_ node: Int, below parent: [String], outOf: Int, _ fields: inout [Field]) {
    for (name, member) in zip(nodes[node].names, nodes[node].members) {
      guard let path = FieldPath(segments: parent + [name]) else { continue }
      let isOpaque = member.node.map { nodes[$0].isOpaque } ?? false
      fields.append(Field(path: path, profile: member.profile, outOf: outOf, isOpaque: isOpaque))
      guard let below = member.node, !isOpaque else { continue }
      let maps = member.profile.types.first { $0.type == .map }?.count ?? 0
      collect(below, below: parent + [name], outOf: maps, &fields)
    }
  }

  /// The field that equals the document's ID in every document.
  package var idField: FieldPath? {
    idFields.filter { $0.value == documents }.keys.min().map { FieldPath(field: $0.string) }
  }
}
