import Tables

/// A list of members to add: a table with the columns groupId, userId, displayName, photoURL and role, or JSON Lines with member
/// documents (`groups/G/members/U`), such as a `rejects.jsonl`.
package enum GroupMemberFile {
  private static let fields = ["displayName", "photoURL", "role"]
  private static let columns = ["groupId", "userId", "displayName", "photoURL", "role"]

  /// Reads the operations in a file.
  ///
  /// - Parameter warn: Called with messages about the file.
  /// - Throws: `.inputMissing`, or `.inputMalformed` with the row and what was expected there.
  package static func operations(
    in path: String,
    warn: (String) -> Void
  ) throws(Failure) -> [GroupOperation] {
    let format = try InputFormat(of: path)
    return format == .jsonLines ? try lines(path) : try table(path, format, warn)
  }

  private static func malformed(_ path: String, _ cause: String) -> Failure {
    Failure(.inputMalformed, "read the members", path: path, cause: cause)
  }

  /// Creates a member from the texts of its columns or fields; an absent or blank one is nil.
  private static func member(
    _ userID: String,
    _ text: (_ name: String) throws(Failure) -> String?,
    _ fault: (_ name: String, _ expected: String) -> Failure
  ) throws(Failure) -> GroupService.NewMember {
    let role = try text("role") ?? "member"
    guard ["admin", "member"].contains(role) else { throw fault("role", "admin or member") }
    return GroupService.NewMember(
      userID: userID,
      displayName: try text("displayName"),
      photoURL: try text("photoURL"),
      isAdmin: role == "admin"
    )
  }

  // MARK: Tables

  private static func table(
    _ path: String,
    _ format: InputFormat,
    _ warn: (String) -> Void
  ) throws(Failure) -> [GroupOperation] {
    var reader = try TableReader(path, format: format)
    guard try reader.nextTexts() else {
      throw malformed(path, "it is empty; expected a header of \(columns.joined(separator: ","))")
    }
    var positions: [String: Int] = [:]
    for index in 0..<reader.row.count {
      let heading = PlainText.trimmed(reader.row[index])
      if heading.isEmpty { continue }
      guard let name = (columns + ["__reason__"]).first(where: { $0.isIdentical(to: heading) }) else {
        throw malformed(
          path,
          "column \(index + 1): '\(heading)' is not one of \(columns.joined(separator: ", "))"
        )
      }
      if positions.updateValue(index, forKey: name) != nil {
        throw malformed(path, "column \(index + 1): '\(name)' is there twice")
      }
    }
    for name in ["groupId", "userId"] where positions[name] == nil {
      throw malformed(path, "it has no column \(name)")
    }
    var unheaded = UnheadedCells(header: reader.row, isSheet: format == .xlsx)
    var operations: [GroupOperation] = []
    while try reader.nextTexts() {
      let row = reader.row
      if let (index, expected) = unheaded.fault(in: row) {
        throw malformed(path, "row \(row.number), column \(index + 1): expected \(expected)")
      }
      func cell(_ name: String) -> String? {
        guard let index = positions[name], index < row.count else { return nil }
        let text = PlainText.trimmed(row[index])
        return text.isEmpty ? nil : text
      }
      func fault(_ name: String, _ expected: String) -> Failure {
        malformed(
          path,
          "row \(row.number), column \((positions[name] ?? 0) + 1) (\(name)): expected \(expected)"
        )
      }
      for name in columns where cell(name).map(SpreadsheetError.isError) == true {
        throw fault(name, "a value; the cell is an error of the spreadsheet")
      }
      guard let group = cell("groupId"), PathLimits.violation(ofID: group, isDocument: true) == nil else {
        throw fault("groupId", "the id of a group")
      }
      guard let user = cell("userId"), PathLimits.violation(ofID: user, isDocument: true) == nil else {
        throw fault("userId", "the id of a user")
      }
      operations.append(.add(try member(user, cell, fault), to: group))
    }
    for notice in reader.notices() { warn("\(path): \(notice)") }
    return operations
  }

  // MARK: JSON Lines

  private static func lines(_ path: String) throws(Failure) -> [GroupOperation] {
    var reader = try JSONLinesReader(path)
    var operations: [GroupOperation] = []
    while let line = try reader.next() {
      let document = try line.document.get()
      let segments = document.path.segments
      guard segments.count == 4, segments[0].isIdentical(to: "groups"), segments[2].isIdentical(to: "members")
      else {
        throw malformed(path, "line \(line.number): expected a document of groups/G/members")
      }
      func fault(_ field: String, _ expected: String) -> Failure {
        malformed(path, "line \(line.number), \(field): expected \(expected)")
      }
      for entry in document.fields.entries {
        // The service sets the time of joining, whatever an exported member has.
        if (fields + ["joinedAt"]).contains(where: { $0.isIdentical(to: entry.name) }) { continue }
        guard entry.name.isIdentical(to: "isActive") else {
          throw fault(entry.name, "one of \(fields.joined(separator: ", "))")
        }
        // Added members are always active.
        if entry.value != .boolean(true) { throw fault(entry.name, "true") }
      }
      func text(_ field: String) throws(Failure) -> String? {
        switch document.fields[field] {
        case nil, .null?: return nil
        case .string(let text)?: return text.nilIfBlank
        default: throw fault(field, "a text")
        }
      }
      operations.append(.add(try member(segments[3], text, fault), to: segments[1]))
    }
    return operations
  }
}
