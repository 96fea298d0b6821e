import Files
package import FirestoreModels
import Yams

/// A value of a YAML file with its place: what files that people write are read from.
///
/// Nothing is resolved: a scalar is its text, and whether it was quoted.
package struct YAMLNode: Sendable {
  /// What it is.
  package indirect enum Content: Sendable {
    /// A text; plain where it stands without quotes and is no block of lines.
    case scalar(String, isPlain: Bool)
    case sequence([YAMLNode])
    case mapping([(key: YAMLNode, value: YAMLNode)])
  }

  /// What it is.
  package let content: Content
  /// Its line, from 1.
  package let line: Int
  /// Its column in that line, from 1, counted in characters of Unicode.
  package let column: Int

  /// The text of a scalar.
  package var text: String? {
    if case .scalar(let text, _) = content { text } else { nil }
  }

  /// What it is, in words.
  package var kind: String {
    switch content {
    case .scalar(let text, let isPlain): text.isEmpty && isPlain ? "nothing" : "a text"
    case .sequence: "a list"
    case .mapping: "a map"
    }
  }
}

/// A YAML file being read: its errors name the file, the line and the column.
package struct YAMLFile: Sendable {
  /// The path, for errors.
  package let path: String
  /// The class of its errors.
  package let kind: Failure.Kind
  /// What is being done, as ``Models/Failure/operation``.
  package let operation: String

  /// More values than any file that a person writes has; aliases of aliases make as many as they like.
  private static let maximumNodes = 100_000
  /// Levels of lists and maps; values have 20 at the most.
  private static let maximumDepth = 40

  /// Names a file.
  package init(_ path: String, kind: Failure.Kind, operation: String) {
    self.path = path
    self.kind = kind
    self.operation = operation
  }

  /// The largest file; a person writes a few kilobytes.
  private static let maximumBytes = 1 << 20

  /// The bytes of the file.
  ///
  /// - Throws: `.inputMissing` where it cannot be read, ``kind`` where it is larger than 1 MiB.
  package func bytes() throws(Failure) -> [UInt8] {
    var file = try InputFile(path)
    var bytes: [UInt8] = []
    let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
    defer { chunk.deallocate() }
    while true {
      let count = try file.read(into: chunk)
      if count == 0 { return bytes }
      bytes.append(contentsOf: chunk[..<count])
      if bytes.count > Self.maximumBytes { throw failure(at: nil, "it is larger than 1 MiB") }
    }
  }

  /// The error of a place; of the file as a whole where that is nil.
  package func failure(at node: YAMLNode?, _ cause: String) -> Failure {
    failure(line: node?.line, column: node?.column, cause)
  }

  private func failure(line: Int?, column: Int?, _ cause: String) -> Failure {
    var position = ""
    if let line, let column { position = "line \(line), column \(column): " }
    return Failure(kind, operation, path: path, cause: position + cause)
  }

  // MARK: Parsing

  /// Parses the one document of the file.
  ///
  /// - Parameters:
  ///   - text: The YAML.
  ///   - allowsAliases: Whether `&anchor` and `*alias` are taken, and `!tags` overlooked; both are refused otherwise.
  /// - Throws: ``Models/Failure`` with the line and column of what is wrong.
  package func parse(_ text: String, allowsAliases: Bool) throws(Failure) -> YAMLNode {
    // Before the parser sees them: it hashes every key, and a key of aliases of aliases takes it for ever.
    if !allowsAliases, let (line, column) = Self.anchor(in: text) {
      throw failure(line: line, column: column, "anchors and aliases are not taken here; write the value out")
    }
    do {
      let parser = try Yams.Parser(yaml: text, resolver: Resolver.basic.appending(Self.untagged, ".*"))
      guard let root = try parser.singleRoot() else { throw failure(at: nil, "it is empty") }
      var count = 0
      // The nodes know their anchors as long as the parser lives.
      let node = try withExtendedLifetime(parser) {
        try converted(root, depth: 0, allowsAliases: allowsAliases, &count)
      }
      if case .scalar("", isPlain: true) = node.content { throw failure(at: nil, "it is empty") }
      return node
    } catch let error as Failure {
      throw error
    } catch let error as YamlError {
      throw failure(of: error)
    } catch {
      throw failure(at: nil, "\(error)")
    }
  }

  private func failure(of error: YamlError) -> Failure {
    switch error {
    case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
      .composer(_, let problem, let mark, _):
      let cause =
        problem.hasPrefix("but found another document")
        ? "a second document begins here; a file has one" : problem
      return failure(line: mark.line, column: mark.column, cause)
    case .duplicatedKeysInMapping(let names, let context):
      let cause = "of this map, \(names.map { "'\($0)'" }.joined(separator: ", ")) is given twice"
      return failure(line: context.mark.line, column: context.mark.column, cause)
    default:
      return failure(at: nil, "it is not valid YAML")
    }
  }

  private func converted(
    _ node: Node,
    depth: Int,
    allowsAliases: Bool,
    _ count: inout Int
  ) throws(Failure) -> YAMLNode {
    let (line, column) = (node.mark?.line ?? 1, node.mark?.column ?? 1)
    func failure(_ cause: String) -> Failure { self.failure(line: line, column: column, cause) }
    count += 1
    if count > Self.maximumNodes { throw failure("there are more than \(Self.maximumNodes) values") }
    if depth > Self.maximumDepth { throw failure("there are more than \(Self.maximumDepth) levels") }
    let content: YAMLNode.Content
    var tag = ""
    switch node {
    case .scalar(let scalar):
      tag = scalar.style == .plain ? scalar.tag.rawValue : ""
      content = .scalar(scalar.string, isPlain: scalar.style == .plain)
    case .sequence(let sequence):
      tag = sequence.tag.rawValue
      var items: [YAMLNode] = []
      if !allowsAliases, sequence.anchor != nil { throw failure(Self.noAnchors) }
      for item in sequence {
        items.append(try converted(item, depth: depth + 1, allowsAliases: allowsAliases, &count))
      }
      content = .sequence(items)
    case .mapping(let mapping):
      tag = mapping.tag.rawValue
      var members: [(key: YAMLNode, value: YAMLNode)] = []
      if !allowsAliases, mapping.anchor != nil { throw failure(Self.noAnchors) }
      for (key, value) in mapping {
        members.append(
          (
            try converted(key, depth: depth + 1, allowsAliases: allowsAliases, &count),
            try converted(value, depth: depth + 1, allowsAliases: allowsAliases, &count)
          )
        )
      }
      content = .mapping(members)
    case .alias:
      throw failure(Self.noAnchors)
    }
    if !allowsAliases {
      if node.anchor != nil { throw failure(Self.noAnchors) }
      if !Self.impliedTags.contains(tag) {
        throw failure("a type as \(tag) is not taken here; quotes make a text")
      }
    }
    return YAMLNode(content: content, line: line, column: column)
  }

  /// What a plain scalar without a tag is resolved to, so that one with a tag is told from it.
  private static let untagged: Tag.Name = "untagged"
  /// The tags of values that were written without one; some are resolved when keys are compared.
  private static let impliedTags: Set = [
    "", untagged.rawValue, Tag.Name.map.rawValue, Tag.Name.seq.rawValue,
  ]
  private static let noAnchors = "anchors and aliases are not taken here; write the value out"

  /// The place of the first `&name` to which there is a `*name`, nil where there is none.
  ///
  /// Quotes and comments are not told apart: a text that holds both is no text that anybody writes.
  private static func anchor(in text: String) -> (line: Int, column: Int)? {
    func isName(_ scalar: Unicode.Scalar) -> Bool {
      scalar.isASCII
        && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
          || "-_".unicodeScalars.contains(scalar))
    }
    var anchors: [(name: String, line: Int, column: Int)] = []
    var aliases: Set<String> = []
    var (line, column) = (1, 1)
    var open: (sign: Unicode.Scalar, name: String, line: Int, column: Int)?
    func close() {
      guard let ended = open, !ended.name.isEmpty else { return }
      if ended.sign == "&" {
        anchors.append((ended.name, ended.line, ended.column))
      } else {
        aliases.insert(ended.name)
      }
    }
    for scalar in text.unicodeScalars {
      if open != nil, isName(scalar) {
        open?.name.unicodeScalars.append(scalar)
      } else {
        close()
        open = scalar == "&" || scalar == "*" ? (scalar, "", line, column) : nil
      }
      column += 1
      if scalar == "\n" { (line, column) = (line + 1, 1) }
    }
    close()
    return anchors.first { aliases.contains($0.name) }.map { ($0.line, $0.column) }
  }

  // MARK: Reading

  /// The members of a map, each name once.
  ///
  /// - Parameters:
  ///   - node: The map.
  ///   - what: What it is, for errors: "the file", "an environment".
  ///   - known: The names that there may be; any where nil.
  package func members(
    _ node: YAMLNode,
    _ what: String,
    known: [String]?
  ) throws(Failure) -> [(name: String, key: YAMLNode, value: YAMLNode)] {
    guard case .mapping(let mapping) = node.content else {
      throw failure(at: node, "\(what) is a map of names to values")
    }
    var seen: Set<UTF8Key> = []
    var list: [(name: String, key: YAMLNode, value: YAMLNode)] = []
    for (key, value) in mapping {
      guard let name = key.text else { throw failure(at: key, "a name is a text") }
      if let known, !known.contains(where: { $0.isIdentical(to: name) }) {
        throw failure(at: key, "\(what) has no '\(name)'; it has \(known.joined(separator: ", "))")
      }
      guard seen.insert(UTF8Key(name)).inserted else { throw failure(at: key, "'\(name)' is given twice") }
      list.append((name, key, value))
    }
    return list
  }

  /// The text of a scalar that is not empty.
  package func text(_ node: YAMLNode, _ name: String) throws(Failure) -> String {
    guard let text = node.text, !text.isEmpty else { throw failure(at: node, "'\(name)' is a text") }
    return text
  }

  /// The truth of `true` or `false`, also as YAML 1.1 spells them: `yes`, `no`, `on`, `off`.
  package func boolean(_ node: YAMLNode, _ name: String) throws(Failure) -> Bool {
    switch node.text?.lowercased() {
    case "true"?, "yes"?, "on"?: return true
    case "false"?, "no"?, "off"?: return false
    default: throw failure(at: node, "'\(name)' is true or false")
    }
  }
}
