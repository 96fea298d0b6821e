import MigrationEngine
import Tables

/// Interprets the edited row of a document, from the document as it was pulled and the present row; does no I/O.
struct RowEdit {
  enum Decision {
    case unchanged
    /// The new fields, nil to delete the document, and the fields that the service sets to the commit time.
    case change(FieldMap?, serverTimes: [FieldPath])
    case refused(Finding)
  }

  private let path: DocumentPath
  private let table: TableLayout
  private let declared: CollectionSchema?

  init(_ path: DocumentPath, _ table: TableLayout, _ declared: CollectionSchema?) {
    self.path = path
    self.table = table
    self.declared = declared
  }

  /// - Parameters:
  ///   - pulled: The document as it was pulled; nil if there was none.
  ///   - row: The cells of the fields and of `_other`; nil if the row was deleted.
  ///   - origin: The document that the row was pulled as, if it has another ID now.
  func decide(
    _ pulled: RawDocument?,
    _ row: [SQLCell]?,
    movedFrom origin: RawDocument? = nil
  ) throws(Failure) -> Decision {
    guard let row else { return delete(pulled) }
    if pulled == nil, let refusal = refusalOfSpaces() { return refusal }
    var cells = try SQLCells()
    let base = origin?.fields ?? pulled?.fields ?? FieldMap()
    let image = RowImage(base, in: table, &cells)
    // A document that was there has its own times, whichever of both the row has.
    let own = RowImage(pulled?.fields ?? base, in: table, &cells)
    var after = base
    for (index, column) in table.columns.enumerated() {
      if declared?.serverTimes.contains(column.field) ?? false {
        if row[index] != own.cells[index], row[index] != image.cells[index] {
          return refuse("server-time", column.field, "The service sets this time; leave its column as it is.")
        }
        if let pulled, origin != nil { after[column.field] = pulled.fields[column.field] }
        continue
      }
      if row[index] == image.cells[index] { continue }
      do throws(CellError) {
        after[column.field] = try cells.value(row[index], as: column.type)
      } catch {
        return refuse("not-a-value", column.field, "Its cell does not fit: \(error.reason).")
      }
    }
    guard let last = row.last, let other = Self.other(last) else {
      return refuse("not-a-value", nil, "\(TableLayout.otherColumn) is no map in REST JSON.")
    }
    if let field = Self.clash(other, over: image.other, table.tree.members, row) {
      return refuse(
        "not-a-value",
        field,
        "\(TableLayout.otherColumn) has a value for it, and it has a column of its own: write it there alone."
      )
    }
    if other != image.other { Self.merge(image.other, other, table.tree.members, into: &after) }
    if let pulled {
      if after == pulled.fields { return .unchanged }
      if let declared, declared.immutability.protects(pulled) {
        return refuse("immutable", nil, "The schema lets no document like it be changed.")
      }
    }
    return checked(after, pulled, origin)
  }

  private func refusalOfSpaces() -> Decision? {
    do throws(CellValues.Fault) {
      for id in table.ids(of: path) {
        try CellValues.assertNoSpaces(around: id)
      }
      return nil
    } catch {
      let message = "Expected \(error.expected); that is an option of 'import', not of a push."
      return .refused(
        Finding(.reject, path: path, code: "not-a-value", field: TableLayout.idColumn, message: message)
      )
    }
  }

  private func delete(_ pulled: RawDocument?) -> Decision {
    guard let pulled else { return .unchanged }
    if let declared, declared.immutability.protects(pulled) {
      return refuse("immutable", nil, "The schema lets no document like it be deleted.")
    }
    return .change(nil, serverTimes: [])
  }

  /// Returns the change, unless the document would violate the schema more than before, or than the one that its row was.
  private func checked(_ fields: FieldMap, _ pulled: RawDocument?, _ origin: RawDocument?) -> Decision {
    var after = fields
    guard let declared else { return .change(after, serverTimes: []) }
    var times: [FieldPath] = []
    if pulled == nil {
      if let idField = declared.idField, after[idField] == nil { after[idField] = .string(path.id) }
      times = declared.serverTimes
    } else if let time = declared.serverUpdateTime {
      times = [time]
    }
    let document = RawDocument(path: path, fields: after)
    let former = origin.map { declared.breaches(by: $0) } ?? []
    let breach = declared.breaches(by: document, over: pulled?.fields, settingTimes: times).first { new in
      !former.contains { $0.kind == new.kind && $0.field == new.field }
    }
    if let breach {
      return .refused(.breach(breach, of: path))
    }
    for time in times { after[time] = nil }
    return .change(after, serverTimes: times)
  }

  private func refuse(_ code: String, _ field: FieldPath?, _ message: String) -> Decision {
    .refused(Finding(.reject, path: path, code: code, field: field?.description, message: message))
  }

  // MARK: What the columns cannot hold

  static func other(_ cell: SQLCell) -> FieldMap? {
    switch cell {
    case .null: FieldMap()
    case .text(let text):
      try? JSONParser(keepsNumbers: true).parse(Array(text.utf8)) { json throws(WireError) in
        var decoder = WireDecoder(unknownMembers: .refused)
        guard json.kind == .object else { throw WireError("it is not a map") }
        return try decoder.fields(json)
      }
    default: nil
    }
  }

  /// Returns the first field with a value in `_other` although a column has one; nil if there is none.
  ///
  /// A null, which a column cannot hold, is replaced by a cell that was filled since, and so is an empty map.
  private static func clash(
    _ other: FieldMap,
    over pulled: FieldMap,
    _ members: [FieldColumnTree.Member],
    _ row: [SQLCell],
    below parents: [String] = []
  ) -> FieldPath? {
    for entry in other.entries {
      guard let member = members.first(where: { $0.name.isIdentical(to: entry.name) }) else { continue }
      let path = parents + [entry.name]
      let old = pulled[entry.name]
      if member.column != nil, entry.value.isNull {
        if !member.isFilled(in: row) || old?.isNull ?? false { continue }
      } else if member.column == nil, let inner = entry.value.map {
        let found = clash(inner, over: old?.map ?? FieldMap(), member.members, row, below: path)
        if let found { return found }
        continue
      } else if member.column == nil, !member.isFilled(in: row) {
        continue
      }
      return FieldPath(segments: path)
    }
    return nil
  }

  /// Applies the difference between two such maps; below a map whose fields have columns, member by member.
  private static func merge(
    _ before: FieldMap,
    _ after: FieldMap,
    _ members: [FieldColumnTree.Member],
    into fields: inout FieldMap
  ) {
    for member in FieldEdit(from: before, to: after).members {
      let tree = members.first { $0.name.isIdentical(to: member.name) }
      if tree?.column != nil, member.value == nil {
        // The former null may have been replaced by a cell.
        if fields[member.name]?.isNull ?? false { fields[member.name] = nil }
        continue
      }
      if let tree, tree.column == nil, case .map(var inner)? = fields[member.name] {
        let (old, new) = (before[member.name]?.map ?? FieldMap(), member.value?.map ?? FieldMap())
        if member.value == nil || member.value?.map != nil {
          merge(old, new, tree.members, into: &inner)
          fields[member.name] = .map(inner)
          continue
        }
      }
      fields[member.name] = member.value
    }
  }
}
