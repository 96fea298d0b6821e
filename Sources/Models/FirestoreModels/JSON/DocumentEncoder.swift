/// Encodes documents from parsed JSON as writes, without building values in memory.
///
/// It handles only documents that are certainly valid by the rules of ``WireDecoder``, with unknown members refused, and
/// certainly within ``DocumentLimits``. It returns nil for everything else: the caller then decodes the document, which either
/// reveals what is wrong (a repeated member) or handles an unusual form (a value beside a null).
///
/// Not `Sendable`: use an encoder in one task at a time.
package struct DocumentEncoder {
  private let references: ReferenceRule
  /// `"name":"projects/…/documents/`, escaped.
  private let nameMember: [UInt8]
  /// Where the documents are written; nil for the paths in their names.
  private let placement: CollectionPlacement?
  private let decoder = WireDecoder(unknownMembers: .refused)
  private var json = JSONWriter(capacity: 4 << 10)

  /// Fields whose JSON is no longer than this are within the limits of a value and of a document, because JSON is longer than the
  /// data.
  private static let largestFields = 1_000_000

  /// - Parameters:
  ///   - references: Which references are rewritten; its target is the database of the writes.
  ///   - placement: Where the documents are written; nil for the paths in their names.
  package init(_ references: ReferenceRule, placement: CollectionPlacement? = nil) {
    self.references = references
    self.placement = placement
    var name = JSONWriter()
    name.key("name")
    name.string("\(references.target.documents)/")
    nameMember = name.bytes.dropLast()
  }

  /// Returns the path of a document that is certainly valid, with fields within the limits of values; nil is inconclusive.
  ///
  /// - Parameter decoder: Decodes the document's name.
  package static func certainPath(of json: JSONCursor, _ decoder: WireDecoder) -> DocumentPath? {
    guard let (path, fields) = members(of: json, decoder) else { return nil }
    guard let fields else { return path }
    var check = FieldCheck()
    return check.members(fields, depth: 0, nameBytes: 0) ? path : nil
  }

  /// Returns the write that creates a document, and the parsed document under the path it is written to.
  ///
  /// Returns nil unless the document is certainly valid and within all limits.
  package mutating func encode(_ source: JSONCursor) -> (write: EncodedDocument, source: WireDocument)? {
    guard let (own, fields) = Self.members(of: source, decoder) else { return nil }
    var path = own
    if let placement {
      guard let placed = placement.path(of: own) else { return nil }
      path = placed
    }
    guard Self.isCertainlyValid(path) else { return nil }
    json.removeAll()
    json.open("{\"update\":{")
    var range = 0..<0
    var encoding = FieldEncoding(json: json, references: references)
    json = JSONWriter()
    defer { json = encoding.json }
    if let fields {
      encoding.json.key("fields" as StaticString)
      let start = encoding.json.bytes.count
      guard encoding.members(fields, depth: 0, nameBytes: 0) else { return nil }
      range = start..<encoding.json.bytes.count
      if range.count > Self.largestFields { return nil }
    }
    path.string.withBytes { encoding.json.string(after: nameMember, $0) }
    encoding.json.close("}")
    let end = encoding.json.bytes.count
    encoding.json.close(EncodedDocument.precondition)
    let write = EncodedDocument(
      path: path,
      references: encoding.counts,
      // An exact copy: an array of the whole slice would share the buffer, which has spare capacity.
      creation: encoding.json.bytes.withUnsafeBufferPointer { Array($0) },
      fieldsRange: range,
      updateEnd: end
    )
    return (write, WireDocument(path: path, json: source, content: fields))
  }

  /// Returns the path and the fields (if any) of a document whose members are all known and occur once.
  private static func members(
    of json: JSONCursor,
    _ decoder: WireDecoder
  ) -> (path: DocumentPath, fields: JSONCursor?)? {
    guard json.isObject else { return nil }
    var path: DocumentPath?
    var fields: JSONCursor?
    var hasTimes = (create: false, update: false)
    for (name, value) in json.members {
      if name == "fields", fields == nil {
        fields = value
      } else if name == "name", path == nil {
        path = try? decoder.documentPath(value, prefix: nil)
        if path == nil { return nil }
      } else if name == "createTime", !hasTimes.create {
        if (try? WireDecoder.timestamp(value, member: "")) == nil { return nil }
        hasTimes.create = true
      } else if name == "updateTime", !hasTimes.update {
        if (try? WireDecoder.timestamp(value, member: "")) == nil { return nil }
        hasTimes.update = true
      } else {
        return nil
      }
    }
    guard let path else { return nil }
    guard let fields, !fields.isNull else { return (path, nil) }
    return fields.isObject ? (path, fields.childCount == 0 ? nil : fields) : nil
  }

  /// Whether a path is within all limits; false is inconclusive for unusual ones.
  private static func isCertainlyValid(_ path: DocumentPath) -> Bool {
    let isPlain = path.string.withBytes { path in
      // No ID is reserved, `.` or `..`, none is too long, and there are not too many.
      guard path.count <= 400 else { return false }
      var (start, slashes) = (0, 0)
      while start < path.count, path[start] != UInt8(ascii: "_"), path[start] != UInt8(ascii: ".") {
        guard let end = path.position(of: UInt8(ascii: "/"), from: start) else { return slashes < 100 }
        slashes += 1
        start = end + 1
      }
      return false
    }
    return isPlain || PathLimits.violations(of: path).isEmpty
  }
}

/// The rule for rewriting references: those into the source database then point to the same document in the target database.
package struct ReferenceRule: Sendable {
  /// The database that references are rewritten from; nil to keep all of them.
  let source: DatabaseName?
  /// The database that they are rewritten to.
  package let target: DatabaseName

  package init(from source: DatabaseName?, to target: DatabaseName) {
    self.source = source
    self.target = target
  }

  /// Returns the rewritten name; nil if the reference is kept.
  package func rewritten(_ name: String) -> String? {
    guard let source, source != target, let path = source.path(ofName: name) else { return nil }
    return target.name(of: path)
  }

  /// Whether a kept reference may point outside the target database; always true if ``source`` is known.
  package func isElsewhere(_ name: String) -> Bool { source != nil || target.path(ofName: name) == nil }
}

/// Traverses fields and receives their contents, as long as they are certainly valid.
///
/// The rules are those of ``WireDecoder`` and ``DocumentLimits``; a result of false means that the document must be decoded
/// instead.
private protocol FieldVisitor {
  mutating func begin(_ opening: StaticString)
  mutating func end(_ closing: StaticString)
  mutating func name(_ utf8: UnsafeBufferPointer<UInt8>)
  mutating func text(_ utf8: UnsafeBufferPointer<UInt8>)
  mutating func reference(_ name: String)
  mutating func scalar(_ value: Value)
}

extension FieldVisitor {
  /// Visits the members of a map.
  ///
  /// - Parameters:
  ///   - depth: The number of maps and arrays around the map.
  ///   - nameBytes: The length of the path to the map.
  ///   - isVector: Whether the map is a vector, which has a reserved name.
  mutating func members(_ object: JSONCursor, depth: Int, nameBytes: Int, isVector: Bool = false) -> Bool {
    begin("{")
    if let sorted = Self.sorted(object) {
      if sorted.isEmpty { return false }
      for (name, value) in sorted {
        guard member(name, value, depth: depth, nameBytes: nameBytes, isVector: isVector) else {
          return false
        }
      }
    } else {
      for (name, value) in object.members {
        guard member(name, value, depth: depth, nameBytes: nameBytes, isVector: isVector) else {
          return false
        }
      }
    }
    end("}")
    return true
  }

  /// Returns the members sorted, if they are out of order; empty if a name occurs twice, nil if they are already in order.
  private static func sorted(_ object: JSONCursor) -> [(name: JSONCursor.Name, value: JSONCursor)]? {
    var last: UnsafeBufferPointer<UInt8>?
    var isOrdered = true
    for (name, _) in object.members {
      if let last, !last.precedes(name.utf8) {
        isOrdered = false
        break
      }
      last = name.utf8
    }
    if isOrdered { return nil }
    let sorted = object.members.sorted { $0.name.utf8.precedes($1.name.utf8) }
    for index in sorted.indices.dropFirst()
    where !sorted[index - 1].name.utf8.precedes(sorted[index].name.utf8) {
      return []
    }
    return sorted
  }

  private mutating func member(
    _ name: JSONCursor.Name,
    _ value: JSONCursor,
    depth: Int,
    nameBytes: Int,
    isVector: Bool
  ) -> Bool {
    let length = nameBytes + name.utf8.count
    guard !name.utf8.isEmpty, length <= DocumentLimits.maximumFieldNameBytes,
      isVector || !PathLimits.isReserved(name.utf8)
    else { return false }
    self.name(name.utf8)
    return self.value(value, depth: depth, nameBytes: length + 1, inArray: false)
  }

  /// Visits a value nested in `depth` maps and arrays.
  private mutating func value(_ json: JSONCursor, depth: Int, nameBytes: Int, inArray: Bool) -> Bool {
    var members = json.members
    guard let (name, content) = members.next(), members.isAtEnd, let type = ValueType(name) else {
      return false
    }
    switch type {
    case .string:
      guard let utf8 = content.utf8 else { return false }
      text(utf8)
      return true
    case .reference:
      guard let text = content.string, DatabaseName.split(text) != nil else { return false }
      reference(text)
      return true
    case .array:
      guard !inArray, depth < DocumentLimits.maximumDepth, content.isObject else { return false }
      return elements(content, depth: depth + 1, nameBytes: nameBytes)
    case .map:
      guard depth < DocumentLimits.maximumDepth, content.isObject else { return false }
      return map(content, depth: depth + 1, nameBytes: nameBytes)
    case .null, .boolean, .integer, .double, .timestamp, .bytes, .geoPoint:
      guard let value = try? WireDecoder.scalar(content, of: type, .refused) else { return false }
      switch value {
      case .timestamp(let time): scalar(.timestamp(time.flooredToMicroseconds))
      case .geoPoint(let point):
        guard (-90...90).contains(point.latitude), (-180...180).contains(point.longitude) else {
          return false
        }
        scalar(value)
      default: scalar(value)
      }
      return true
    }
  }

  private mutating func elements(_ content: JSONCursor, depth: Int, nameBytes: Int) -> Bool {
    guard let values = only("values", of: content) else { return false }
    let list = values.flatMap { $0.isNull ? nil : $0 }
    if let list, !list.isArray { return false }
    guard let list, !list.elements.isAtEnd else {
      begin("{\"arrayValue\":{")
      end("}}")
      return true
    }
    begin("{\"arrayValue\":{\"values\":[")
    for element in list.elements {
      guard value(element, depth: depth, nameBytes: nameBytes, inArray: true) else { return false }
    }
    end("]}}")
    return true
  }

  private mutating func map(_ content: JSONCursor, depth: Int, nameBytes: Int) -> Bool {
    guard let members = only("fields", of: content) else { return false }
    guard let fields = members, !fields.isNull else {
      begin("{\"mapValue\":{")
      end("}}")
      return true
    }
    guard fields.isObject else { return false }
    begin("{\"mapValue\":{")
    if fields.childCount > 0 {
      name("fields")
      let isVector = fields.childCount == 2 && Self.isVector(fields, depth: depth)
      guard self.members(fields, depth: depth, nameBytes: nameBytes, isVector: isVector) else { return false }
    }
    end("}}")
    return true
  }

  /// Whether a map is a vector within the limits.
  private static func isVector(_ fields: JSONCursor, depth: Int) -> Bool {
    guard fields["__type__"] != nil, let view = try? WireFields(fields, depth: depth),
      let vector = try? view.vectorComponents()
    else { return false }
    return vector.count <= DocumentLimits.maximumVectorDimensions
  }

  /// Returns the one permitted member of a message, if present; nil if the message has any other.
  private func only(_ known: StaticString, of json: JSONCursor) -> JSONCursor?? {
    var members = json.members
    guard let (name, value) = members.next() else { return .some(nil) }
    return name == known && members.isAtEnd ? .some(value) : .none
  }

  private mutating func name(_ text: StaticString) {
    name(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }
}

/// Validates fields without writing anything.
private struct FieldCheck: FieldVisitor {
  mutating func begin(_ opening: StaticString) {}
  mutating func end(_ closing: StaticString) {}
  mutating func name(_ utf8: UnsafeBufferPointer<UInt8>) {}
  mutating func text(_ utf8: UnsafeBufferPointer<UInt8>) {}
  mutating func reference(_ name: String) {}
  mutating func scalar(_ value: Value) {}
}

/// Writes fields in the service's encoding.
private struct FieldEncoding: FieldVisitor {
  var json: JSONWriter
  let references: ReferenceRule
  var counts = (rewritten: 0, kept: 0)

  mutating func begin(_ opening: StaticString) { json.open(opening) }

  mutating func end(_ closing: StaticString) { json.close(closing) }

  mutating func name(_ utf8: UnsafeBufferPointer<UInt8>) { json.key(utf8) }

  mutating func text(_ utf8: UnsafeBufferPointer<UInt8>) {
    json.string(utf8, within: "{\"stringValue\":\"", "\"}")
  }

  mutating func reference(_ name: String) {
    let rewritten = references.rewritten(name)
    if rewritten != nil {
      counts.rewritten += 1
    } else if references.isElsewhere(name) {
      counts.kept += 1
    }
    (rewritten ?? name).withBytes { json.string($0, within: "{\"referenceValue\":\"", "\"}") }
  }

  mutating func scalar(_ value: Value) { json.value(value) }
}
