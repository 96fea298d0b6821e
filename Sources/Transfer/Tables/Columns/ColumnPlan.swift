import FirestoreModels
import GymModels

/// The columns of one collection's table, and which value of a document stands under which of them.
///
/// The catalogue's columns come first. A field that has none gets one at its end when it first appears, so columns
/// are only ever added behind the others, and a row that was made earlier merely lacks the last cells: that is what
/// lets a table be written in one pass. A map is spread over a column a member (`membershipPlanSnapshot.planName`);
/// these are single cells instead, under the map's own path: an empty map, a vector, and anything that is no
/// map where other documents have one (null, a scalar, an array). So of a path and the paths below it, one document
/// fills either the one or the others, and what it had is told from which of them are filled.
///
/// There are at most ``maximumColumns``; fields beyond go into one last column, ``restName``, as a map to be merged
/// with the rest of the row. A map with keys of its own in every document cannot fill the memory that way.
struct ColumnPlan: Sendable {
  /// Most columns of a table, without the document's name and the rest.
  ///
  /// Spreadsheets know 16,384 and are slow by then.
  static let maximumColumns = 1000
  /// The heading of the last column of a table with too many fields; the service keeps such names to itself.
  static let restName = "__rest__"

  /// The columns so far, without the document's name.
  private(set) var columns: [Column]
  /// Whether fields without a column get one; otherwise they are left out.
  let grows: Bool

  private var nodes = [Node(path: [])]
  private var hasRest = false

  /// What is known of one level of nested maps: the members' names in the order of their bytes.
  private struct Node {
    let path: [String]
    var names: [String] = []
    var members: [Member] = []
  }

  /// Where a member's values go: a column of their own, or the columns of the map's members, or by document.
  private struct Member {
    var column: Int?
    var node: Int?
  }

  /// The plan of a collection, whose further columns come as they come.
  init(collection: CollectionPath) {
    columns = ColumnCatalogue.columns(of: collection)
    grows = true
    for (index, column) in columns.enumerated() { enter(column.path, index) }
  }

  /// The plan of the fields that were asked for, in that order.
  ///
  /// A map under one of them is one cell.
  ///
  /// - Throws: ``Failure`` of kind `usage` where a field is named twice or lies within another one.
  init(collection: CollectionPath, fields: [FieldPath]) throws(Failure) {
    let known = ColumnCatalogue.columns(of: collection)
    columns = fields.map { path in known.first { $0.path == path } ?? Column(unknown: path) }
    grows = false
    for (index, path) in fields.enumerated() {
      if let other = fields[..<index].first(where: { $0.isPrefix(of: path) || path.isPrefix(of: $0) }) {
        throw Failure(
          .usage,
          "lay out the columns",
          path: collection.string,
          cause: path == other
            ? "the field \(path) is named twice" : "of \(path) and \(other), one holds the other"
        )
      }
      enter(path, index)
    }
  }

  /// Sorts the values of a document under their columns: `cells` gets as many elements as there are columns now,
  /// nil where the document has nothing.
  mutating func position(_ fields: FieldMap, into cells: inout [Value?]) {
    fill(&cells)
    var rest: [FieldMap.Entry] = []
    position(fields, node: 0, into: &cells, rest: &rest)
    if rest.isEmpty { return }
    if !hasRest {
      hasRest = true
      columns.append(Column(unknown: FieldPath(field: Self.restName)))
      fill(&cells)
    }
    cells[columns.count - 1] = .map(FieldMap(rest))
  }

  private func fill(_ cells: inout [Value?]) {
    while cells.count < columns.count { cells.append(nil) }
  }

  private mutating func position(
    _ fields: FieldMap,
    node: Int,
    into cells: inout [Value?],
    rest: inout [FieldMap.Entry]
  ) {
    // The document's members and the known ones stand in the same order: one walk over both.
    var at = 0
    for entry in fields.entries {
      let found = seek(entry.name, in: node, from: &at)
      if !found {
        guard grows, !entry.name.isEmpty, !Self.isReserved(entry.name), !hasRest else {
          if grows { rest.append(entry) }
          continue
        }
        nodes[node].names.insert(entry.name, at: at)
        nodes[node].members.insert(Member(), at: at)
      }
      if grows, case .map(let inner) = entry.value, !inner.isEmpty, inner.vector == nil {
        if nodes[node].members[at].node == nil {
          if hasRest {
            rest.append(entry)
            continue
          }
          nodes.append(Node(path: nodes[node].path + [entry.name]))
          nodes[node].members[at].node = nodes.count - 1
        }
        guard let below = nodes[node].members[at].node else { continue }
        var innerRest: [FieldMap.Entry] = []
        position(inner, node: below, into: &cells, rest: &innerRest)
        if !innerRest.isEmpty {
          rest.append(FieldMap.Entry(name: entry.name, value: .map(FieldMap(innerRest))))
        }
      } else if let column = nodes[node].members[at].column {
        cells[column] = entry.value
      } else if grows {
        guard columns.count < Self.maximumColumns, !hasRest,
          let path = FieldPath(segments: nodes[node].path + [entry.name])
        else {
          rest.append(entry)
          continue
        }
        nodes[node].members[at].column = columns.count
        columns.append(Column(unknown: path))
        cells.append(entry.value)
      } else if let below = nodes[node].members[at].node, case .map(let inner) = entry.value {
        position(inner, node: below, into: &cells, rest: &rest)
      }
    }
  }

  /// Moves `at` to the member of this name, or to where it would stand.
  private func seek(_ name: String, in node: Int, from at: inout Int) -> Bool {
    let count = nodes[node].names.count
    while at < count {
      let order = nodes[node].names[at].compareUTF8(name)
      if order == 0 { return true }
      if order > 0 { return false }
      at += 1
    }
    return false
  }

  /// `__.*__` is no field's name; the first and the last column's headings are of that kind.
  private static func isReserved(_ name: String) -> Bool {
    name.utf8.count >= 4 && name.hasPrefix("__") && name.hasSuffix("__")
  }

  private mutating func enter(_ path: FieldPath, _ column: Int) {
    var node = 0
    for (depth, name) in path.segments.enumerated() {
      var at = 0
      if !seek(name, in: node, from: &at) {
        nodes[node].names.insert(name, at: at)
        nodes[node].members.insert(Member(), at: at)
      }
      if depth == path.segments.count - 1 {
        nodes[node].members[at].column = column
      } else if let below = nodes[node].members[at].node {
        node = below
      } else {
        nodes.append(Node(path: nodes[node].path + [name]))
        nodes[node].members[at].node = nodes.count - 1
        node = nodes.count - 1
      }
    }
  }

  // MARK: Header

  /// The heading of a column: its path, or its label.
  ///
  /// A field whose path reads like a label of another column is
  /// back-quoted, which is the same path and no label.
  func heading(of column: Column, _ language: Column.HeaderLanguage) -> String {
    let text = column.heading(language)
    guard column.type == .any, text.isIdentical(to: column.path.description),
      columns.contains(where: {
        $0.path != column.path && ($0.english.isIdentical(to: text) || $0.spanish.isIdentical(to: text))
      })
    else { return text }
    return column.path.segments.map { "`\($0)`" }.joined(separator: ".")
  }
}
