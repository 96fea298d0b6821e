package import FirestoreModels
import Yams

/// A YAML file being read; its errors name the file, line and column.
package struct YAMLFile: Sendable {
  package let path: String
  /// The kind of failure that errors have.
  package let kind: Failure.Kind
  /// The operation for errors, as in ``FirestoreModels/Failure/operation``.
  package let operation: String

  /// The maximum number of values in a text with fewer bytes, because nested aliases could expand to any number.
  private static let maximumNodes = 100_000
  /// The maximum number of keys that differ from others in Unicode composition alone; each may take another pass.
  private static let maximumVariants = 30
  /// The maximum nesting of lists and maps; Firestore values have at most 20 levels, each of which takes two in a schema.
  private static let maximumDepth = 48

  package init(_ path: String, kind: Failure.Kind, operation: String) {
    self.path = path
    self.kind = kind
    self.operation = operation
  }

  /// Returns the error at a node; if nil, of the entire file.
  package func failure(at node: YAMLNode?, _ cause: String) -> Failure {
    failure(line: node?.line, column: node?.column, cause)
  }

  /// Returns a value; an error on the way to it becomes the error at a node.
  ///
  /// - Parameter hint: What follows the error's own words, such as what was expected.
  package func reading<Value>(
    _ node: YAMLNode,
    _ value: @autoclosure () throws(WireError) -> Value,
    hint: String = ""
  ) throws(Failure) -> Value {
    do throws(WireError) {
      return try value()
    } catch {
      throw failure(at: node, "\(error)\(hint)")
    }
  }

  private func failure(line: Int?, column: Int?, _ cause: String) -> Failure {
    var position = ""
    if let line, let column { position = "line \(line), column \(column): " }
    return Failure(kind, operation, path: path, cause: position + cause)
  }

  // MARK: Parsing

  /// Returns the file's bytes as text.
  ///
  /// - Throws: A failure of ``kind`` if they are not UTF-8.
  package func text(of bytes: [UInt8]) throws(Failure) -> String {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw failure(at: nil, "it is not UTF-8")
    }
    return text
  }

  /// Parses the only document of the file.
  ///
  /// - Parameter allowsAliases: Whether `&anchor` and `*alias` are accepted and `!tags` ignored; otherwise both are
  ///   refused.
  /// - Throws: ``FirestoreModels/Failure`` with the line and column of the error.
  package func parse(_ text: String, allowsAliases: Bool) throws(Failure) -> YAMLNode {
    let text = text.unicodeScalars.first == "\u{FEFF}" ? String(text.unicodeScalars.dropFirst()) : text
    // This must precede the parser, which hashes every key: a key of nested aliases would take forever.
    if !allowsAliases, let (line, column) = Self.anchor(in: text) {
      throw failure(line: line, column: column, Self.noAnchors)
    }
    var marks = ByteOrderMarks(text)
    do {
      let (parser, root) = try Self.parsed(&marks)
      guard let root else { throw failure(at: nil, "it is empty") }
      // Without aliases, no text has more values than bytes.
      var room = max(Self.maximumNodes, text.utf8.count)
      // The nodes know their anchors only while the parser is alive.
      let node = try withExtendedLifetime(parser) {
        try converted(root, depth: 0, allowsAliases: allowsAliases, marks, &room)
      }
      if case .scalar("", isPlain: true) = node.content { throw failure(at: nil, "it is empty") }
      return node
    } catch let error as Failure {
      throw error
    } catch let error as YamlError {
      throw failure(of: error, marks)
    } catch {
      throw failure(at: nil, "\(error)")
    }
  }

  /// Parses a text whose keys may differ in Unicode composition alone, which Yams treats as duplicates.
  ///
  /// Yams treats plain keys as duplicates only if their tags are equal, too. So each reported duplicate gets a unique tag, and
  /// the text is parsed again; a real duplicate is then reported again. A quoted key gets a mark instead of a tag.
  private static func parsed(_ marks: inout ByteOrderMarks) throws -> (Yams.Parser, Node?) {
    var known: [UTF8Key] = []
    var text = marks.text
    var marked = 0
    while true {
      let variants = try known.enumerated().reduce(Resolver.basic) { resolver, variant in
        let tag = Tag.Name(rawValue: "\(untagged.rawValue)\(variant.offset)")
        return try resolver.appending(tag, pattern(of: variant.element.string))
      }
      do {
        let parser = try Yams.Parser(yaml: text, resolver: variants.appending(untagged, ".*"))
        return (parser, try parser.singleRoot())
      } catch YamlError.duplicatedKeysInMapping(let names, let context) {
        let new = names.map { UTF8Key($0) }.filter { !known.contains($0) }
        if !new.isEmpty, known.count < maximumVariants {
          known += new
        } else if marked < maximumVariants,
          let other = marks.marking(text, line: context.mark.line, column: context.mark.column)
        {
          (text, marked) = (other, marked + 1)
        } else {
          throw YamlError.duplicatedKeysInMapping(duplicates: names, context: context)
        }
      }
    }
  }

  /// A regular expression that matches exactly a text, scalar by scalar.
  private static func pattern(of text: String) -> String {
    "\\A" + text.unicodeScalars.map { "\\x{\(String($0.value, radix: 16))}" }.joined() + "\\z"
  }

  private func failure(of error: YamlError, _ marks: ByteOrderMarks) -> Failure {
    switch error {
    case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
      .composer(_, let problem, let mark, _):
      let cause =
        problem.hasPrefix("but found another document")
        ? "a second document begins here; a file may have only one" : problem
      return failure(line: mark.line, column: mark.column, cause)
    case .duplicatedKeysInMapping(let names, let context):
      let cause =
        "of this map, \(names.map { "'\(marks.restored($0))'" }.joined(separator: ", ")) is given twice"
      return failure(line: context.mark.line, column: context.mark.column, cause)
    default:
      return failure(at: nil, "it is not valid YAML")
    }
  }

  private func converted(
    _ node: Node,
    depth: Int,
    allowsAliases: Bool,
    _ marks: ByteOrderMarks,
    _ room: inout Int
  ) throws(Failure) -> YAMLNode {
    let (line, column) = (node.mark?.line ?? 1, node.mark?.column ?? 1)
    func failure(_ cause: String) -> Failure { self.failure(line: line, column: column, cause) }
    func child(_ node: Node) throws(Failure) -> YAMLNode {
      try converted(node, depth: depth + 1, allowsAliases: allowsAliases, marks, &room)
    }
    room -= 1
    if room < 0 { throw failure("its aliases stand for more values than it has bytes") }
    if depth > Self.maximumDepth { throw failure("there are more than \(Self.maximumDepth) levels") }
    if !allowsAliases, node.anchor != nil { throw failure(Self.noAnchors) }
    let content: YAMLNode.Content
    var tag = ""
    switch node {
    case .scalar(let scalar):
      let isTagged = scalar.style == .plain && !scalar.tag.rawValue.hasPrefix(Self.untagged.rawValue)
      tag = isTagged ? scalar.tag.rawValue : ""
      content = .scalar(marks.restored(scalar.string), isPlain: scalar.style == .plain)
    case .sequence(let sequence):
      tag = sequence.tag.rawValue
      content = .sequence(try sequence.map(child))
    case .mapping(let mapping):
      tag = mapping.tag.rawValue
      let members = try mapping.map { key, value throws(Failure) in (try child(key), try child(value)) }
      if marks.hasMarkedKeys { try assertDistinct(members.map(\.0)) }
      content = .mapping(members)
    case .alias:
      throw failure(Self.noAnchors)
    }
    if !allowsAliases, !Self.impliedTags.contains(tag) {
      throw failure("the tag \(tag) is not supported here; quote the value to make it a string")
    }
    return YAMLNode(content: content, line: line, column: column)
  }

  /// Refuses repeated keys, which Yams itself does unless the keys have marks.
  private func assertDistinct(_ keys: [YAMLNode]) throws(Failure) {
    var first: [UTF8Key: YAMLNode] = [:]
    for key in keys {
      guard let name = key.text, let other = first.updateValue(key, forKey: UTF8Key(name)) else { continue }
      throw failure(at: other, "of this map, '\(name)' is given twice")
    }
  }

  /// The tag given to plain scalars without one, to distinguish it from an explicit tag.
  private static let untagged: Tag.Name = "untagged"
  /// The tags of values without an explicit tag; some are resolved when keys are compared.
  private static let impliedTags: Set = ["", Tag.Name.map.rawValue, Tag.Name.seq.rawValue]
  private static let noAnchors = "anchors and aliases are not supported here; write the value out"

  /// The maximum number of aliases left to the parser, which can tell them from other text; that many expand a text about
  /// twentyfold at most.
  private static let maximumAliases = 8

  /// Returns the position of the first `&name` that has a `*name`, if there are more of those than the parser may expand.
  ///
  /// Quotes and comments are not recognized. An alias never follows a letter or a digit.
  private static func anchor(in text: String) -> (line: Int, column: Int)? {
    func isName(_ scalar: Unicode.Scalar) -> Bool {
      scalar.isASCII
        && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
          || "-_".unicodeScalars.contains(scalar))
    }
    var anchors: [(name: String, line: Int, column: Int)] = []
    var aliases: [String: Int] = [:]
    var (line, column) = (1, 1)
    var open: (sign: Unicode.Scalar, name: String, line: Int, column: Int)?
    var isBehindWord = false
    func close() {
      guard let ended = open, !ended.name.isEmpty else { return }
      if ended.sign == "&" {
        anchors.append((ended.name, ended.line, ended.column))
      } else {
        aliases[ended.name, default: 0] += 1
      }
    }
    for scalar in text.unicodeScalars {
      if open != nil, isName(scalar) {
        open?.name.unicodeScalars.append(scalar)
      } else {
        close()
        open = !isBehindWord && (scalar == "&" || scalar == "*") ? (scalar, "", line, column) : nil
      }
      isBehindWord = isName(scalar) && !"-_".unicodeScalars.contains(scalar)
      column += 1
      if scalar == "\n" { (line, column) = (line + 1, 1) }
    }
    close()
    let meant = Set(anchors.map(\.name)).reduce(0) { $0 + aliases[$1, default: 0] }
    if meant <= maximumAliases { return nil }
    return anchors.first { aliases[$0.name] != nil }.map { ($0.line, $0.column) }
  }

  // MARK: Reading

  /// Returns the members of a map, each name once.
  ///
  /// - Parameters:
  ///   - what: The map's description for errors, such as "the file".
  ///   - known: The allowed names; any if nil.
  package func members(
    _ node: YAMLNode,
    _ what: String,
    known: [String]?
  ) throws(Failure) -> [(name: String, key: YAMLNode, value: YAMLNode)] {
    guard case .mapping(let mapping) = node.content else {
      throw failure(at: node, "\(what) must be a map of names to values")
    }
    var seen: Set<UTF8Key> = []
    var list: [(name: String, key: YAMLNode, value: YAMLNode)] = []
    for (key, value) in mapping {
      guard let name = key.text else { throw failure(at: key, "a key must be a string") }
      if let known, !known.contains(where: { $0.isIdentical(to: name) }) {
        throw failure(at: key, "\(what) has no '\(name)'; it has \(known.joined(separator: ", "))")
      }
      guard seen.insert(UTF8Key(name)).inserted else { throw failure(at: key, "'\(name)' is given twice") }
      list.append((name, key, value))
    }
    return list
  }

  /// Returns the text of a scalar that is not empty.
  package func text(_ node: YAMLNode, _ name: String) throws(Failure) -> String {
    guard let text = node.text, !text.isEmpty else {
      throw failure(at: node, "'\(name)' must be a string that is not empty")
    }
    return text
  }

  /// Returns the boolean of a scalar; YAML 1.1's `yes`, `no`, `on` and `off` are accepted.
  package func boolean(_ node: YAMLNode, _ name: String) throws(Failure) -> Bool {
    switch node.text?.lowercased() {
    case "true"?, "yes"?, "on"?: return true
    case "false"?, "no"?, "off"?: return false
    default: throw failure(at: node, "'\(name)' must be true or false")
    }
  }
}
