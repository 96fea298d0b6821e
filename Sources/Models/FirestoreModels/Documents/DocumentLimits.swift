/// What the service refuses for good in a document, checked before anything is sent.
///
/// The limits are those of the Standard edition (https://firebase.google.com/docs/firestore/quotas). Where sources
/// disagree, only what is certainly refused is a violation: the service has the last word on the rest. Texts need no
/// check, because a `String` is always valid Unicode; nor do timestamps, which hold no year beyond 1 to 9999.
package enum DocumentLimits {
  /// The largest document, in bytes of ``DocumentSize``: 1 MiB - 4 (`google/firestore/v1/document.proto`).
  package static let maximumDocumentBytes = 1_048_572
  /// The largest value of a field, in bytes of ``DocumentSize``: 1 MiB - 89.
  package static let maximumValueBytes = 1_048_487
  /// The largest name of a field, and the largest path to one, in bytes.
  package static let maximumFieldNameBytes = 1500
  /// Levels of maps and arrays in each other.
  package static let maximumDepth = 20
  /// Components of a vector.
  package static let maximumVectorDimensions = 2048

  /// One thing that the service refuses.
  package struct Violation: Sendable, Equatable, CustomStringConvertible {
    /// The rules.
    package enum Code: String, Sendable, CaseIterable {
      /// A path does not alternate between collections and documents.
      case malformedPath
      /// An id is empty.
      case emptyID
      /// An id is over 1,500 bytes.
      case longID
      /// An id is `.`, `..`, holds a slash, or is reserved (`__…__`).
      case reservedID
      /// There are more than 100 collections in a path.
      case deepPath
      /// A name is over 6 KiB.
      case longName
      /// A field's name is empty.
      case emptyFieldName
      /// A field's name is over 1,500 bytes.
      case longFieldName
      /// A field's name is reserved (`__…__`).
      case reservedFieldName
      /// A path to a field is over 1,500 bytes.
      case longFieldPath
      /// A value is over 1,048,487 bytes.
      case largeValue
      /// The document is over 1,048,572 bytes.
      case largeDocument
      /// Maps and arrays are nested over 20 levels.
      case deepValue
      /// An array lies directly in an array.
      case nestedArray
      /// A coordinate is not on earth.
      case coordinate
      /// A vector has over 2,048 components.
      case longVector
      /// A reference is not a document's full name.
      case malformedReference
    }

    /// The rule that is broken.
    package var code: Code
    /// One line for a person: the field and the limit, never the value.
    package var message: String

    /// Makes a violation.
    package init(_ code: Code, _ message: String) {
      self.code = code
      self.message = message
    }

    /// The message.
    package var description: String { message }
  }

  /// Everything in a document that the service would refuse, its path first, then its fields in their order.
  package static func violations(of document: RawDocument) -> [Violation] {
    var found = PathLimits.violations(of: document.path)
    found += violations(of: document.fields)
    let bytes = DocumentSize.bytes(of: document, mapOverhead: 0)
    if bytes > maximumDocumentBytes {
      found.append(
        Violation(
          .largeDocument,
          "the document has \(bytes) bytes; the service stores at most \(maximumDocumentBytes)"
        )
      )
    }
    return found
  }

  /// Everything in fields that the service would refuse, whatever document they are for.
  package static func violations(of fields: FieldMap) -> [Violation] {
    var walk = FieldWalk()
    walk.members(of: fields, depth: 0)
    return walk.found
  }

  /// What the service would refuse in a path of a mask, a transform or a filter.
  package static func violations(of path: FieldPath) -> [Violation] {
    // Of a path that is too long nothing else is told: a hostile one has millions of segments, each with its location.
    let bytes = path.segments.reduce(path.segments.count - 1) { $0 + $1.utf8.count }
    if path.segments.count > 1, bytes > maximumFieldNameBytes {
      return [
        Violation(
          .longFieldPath,
          "a field path of \(path.segments.count) names has \(bytes) bytes; at most \(maximumFieldNameBytes) are allowed"
        )
      ]
    }
    var walk = FieldWalk()
    for segment in path.segments {
      walk.steps.append(.member(segment))
      walk.check(name: segment)
    }
    return walk.found
  }
}

/// A walk through a document's fields that knows where it is.
private struct FieldWalk {
  enum Step {
    case member(String)
    case element(Int)
  }

  var steps: [Step] = []
  var found: [DocumentLimits.Violation] = []

  mutating func members(of fields: FieldMap, depth: Int) {
    for entry in fields.entries {
      steps.append(.member(entry.name))
      check(name: entry.name)
      checkPath()
      check(entry.value, depth: depth, inArray: false)
      steps.removeLast()
    }
  }

  mutating func check(name: String) {
    let count = name.utf8.count
    if count == 0 {
      add(.emptyFieldName, "has an empty name")
    } else if count > DocumentLimits.maximumFieldNameBytes {
      add(
        .longFieldName,
        "has a name of \(count) bytes; at most \(DocumentLimits.maximumFieldNameBytes) are allowed"
      )
    } else if PathLimits.isReserved(name) {
      add(.reservedFieldName, "has a reserved name: none may begin and end with __")
    }
  }

  /// The path as a mask would name it; what lies in an array cannot be named.
  mutating func checkPath() {
    if steps.count < 2 { return }
    var bytes = steps.count - 1
    for step in steps {
      guard case .member(let name) = step else { return }
      let count = name.utf8.count
      // A name that is too long has been told already.
      if count > DocumentLimits.maximumFieldNameBytes { return }
      bytes += count
    }
    if bytes > DocumentLimits.maximumFieldNameBytes {
      add(
        .longFieldPath,
        "has a path of \(bytes) bytes; at most \(DocumentLimits.maximumFieldNameBytes) are allowed"
      )
    }
  }

  /// Checks a value that lies in `depth` maps and arrays.
  mutating func check(_ value: Value, depth: Int, inArray: Bool) {
    let before = found.count
    switch value {
    case .null, .boolean, .integer, .double, .timestamp: return
    // As its type is documented, without the byte that its storage size has on top.
    case .string(let text): check(bytes: text.utf8.count)
    case .bytes(let bytes): check(bytes: bytes.count)
    case .reference(let name):
      if DatabaseName.split(name) == nil {
        add(.malformedReference, "is not the full name of a document (projects/P/databases/D/documents/…)")
      }
    case .geoPoint(let point):
      if !(-90...90).contains(point.latitude) {
        add(.coordinate, "has a latitude that is not from -90 to 90 degrees")
      }
      if !(-180...180).contains(point.longitude) {
        add(.coordinate, "has a longitude that is not from -180 to 180 degrees")
      }
    case .array(let values):
      if inArray { add(.nestedArray, "is an array directly in an array") }
      guard enter(depth) else { return }
      for (index, element) in values.enumerated() {
        steps.append(.element(index))
        check(element, depth: depth + 1, inArray: true)
        steps.removeLast()
      }
      if depth == 0, found.count == before { check(bytes: DocumentSize.bytes(of: value, mapOverhead: 0)) }
    case .map(let fields):
      if let vector = fields.vector {
        if vector.count > DocumentLimits.maximumVectorDimensions {
          add(
            .longVector,
            "is a vector of \(vector.count) components; at most \(DocumentLimits.maximumVectorDimensions) are allowed"
          )
        }
        return
      }
      guard enter(depth) else { return }
      members(of: fields, depth: depth + 1)
      if depth == 0, found.count == before { check(bytes: DocumentSize.bytes(of: value, mapOverhead: 0)) }
    }
  }

  private mutating func enter(_ depth: Int) -> Bool {
    if depth < DocumentLimits.maximumDepth { return true }
    add(
      .deepValue,
      "lies in \(depth) maps and arrays; at most \(DocumentLimits.maximumDepth) levels are allowed"
    )
    return false
  }

  private mutating func check(bytes: Int) {
    if bytes > DocumentLimits.maximumValueBytes {
      add(
        .largeValue,
        "has \(bytes) bytes; at most \(DocumentLimits.maximumValueBytes) are allowed in one value"
      )
    }
  }

  private mutating func add(_ code: DocumentLimits.Violation.Code, _ text: String) {
    found.append(.init(code, "the field \(location) \(text)"))
  }

  /// `a.b[3].c`, with long names cut.
  private var location: String {
    var text = ""
    for step in steps {
      switch step {
      case .element(let index): text += "[\(index)]"
      case .member(let name):
        if !text.isEmpty { text += "." }
        text += name.isEmpty ? "``" : FieldPath(field: PathLimits.shortened(name)).description
      }
    }
    return text
  }
}
