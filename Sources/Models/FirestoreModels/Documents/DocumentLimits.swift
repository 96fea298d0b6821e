/// The limits of a document that the service enforces, checked before anything is sent.
///
/// These are the limits of the Standard edition (https://firebase.google.com/docs/firestore/quotas). Where
/// sources disagree, only what is certainly refused is a violation; the service decides the rest. Strings
/// need no check, because a `String` is always valid Unicode; nor do timestamps, whose range is that of
/// ``Timestamp``.
package enum DocumentLimits {
  /// The maximum size of a document in bytes, as ``DocumentSize`` counts them: 1 MiB - 4 (`google/firestore/v1/document.proto`).
  package static let maximumDocumentBytes = 1_048_572
  /// The maximum size of a field value in bytes, as ``DocumentSize`` counts them: 1 MiB - 89.
  package static let maximumValueBytes = 1_048_487
  /// The maximum size of a field name, and of a field path, in bytes.
  package static let maximumFieldNameBytes = 1500
  /// The maximum nesting of maps and arrays.
  package static let maximumDepth = 20
  package static let maximumVectorDimensions = 2048

  package struct Violation: Sendable, Equatable, CustomStringConvertible {
    package enum Code: String, Sendable, CaseIterable {
      /// The path does not alternate between collections and documents.
      case malformedPath
      case emptyID
      /// An ID exceeds 1,500 bytes.
      case longID
      /// An ID is `.`, `..`, contains a slash, or is reserved (`__…__`).
      case reservedID
      /// The path has more than 100 collections.
      case deepPath
      /// A document name exceeds 6 KiB.
      case longName
      case emptyFieldName
      /// A field name exceeds 1,500 bytes.
      case longFieldName
      /// A field name is reserved (`__…__`).
      case reservedFieldName
      /// A field path exceeds 1,500 bytes.
      case longFieldPath
      /// A value exceeds 1,048,487 bytes.
      case largeValue
      /// The document exceeds 1,048,572 bytes.
      case largeDocument
      /// Maps and arrays are nested more than 20 levels deep.
      case deepValue
      case nestedArray
      case coordinate
      /// A vector has more than 2,048 components.
      case longVector
      /// A vector has no components, or one that is not a double.
      case malformedVector
      /// A reference is not a full document name.
      case malformedReference
    }

    package var code: Code
    /// One line that names the field and the limit, never the value.
    package var message: String

    package init(_ code: Code, _ message: String) {
      self.code = code
      self.message = message
    }

    package var description: String { message }
  }

  /// All violations in a document: first of its path, then of its fields in their order.
  package static func violations(of document: RawDocument) -> [Violation] {
    var violations = PathLimits.violations(of: document.path)
    violations += self.violations(of: document.fields)
    let bytes = DocumentSize.bytes(of: document, mapOverhead: 0)
    if bytes > maximumDocumentBytes {
      let message = "the document has \(bytes) bytes; the service stores at most \(maximumDocumentBytes)"
      violations.append(Violation(.largeDocument, message))
    }
    return violations
  }

  /// All violations in the fields of any document.
  package static func violations(of fields: FieldMap) -> [Violation] {
    var checker = Checker()
    checker.members(of: fields, depth: 0)
    return checker.violations
  }

  /// All violations in a field path of a mask, transform or filter.
  package static func violations(of path: FieldPath) -> [Violation] {
    // A path that is too long gets one violation only: a hostile one has millions of segments.
    let bytes = path.segments.reduce(path.segments.count - 1) { $0 + $1.utf8.count }
    if path.segments.count > 1, bytes > maximumFieldNameBytes {
      let size = "a field path of \(path.segments.count) names has \(bytes) bytes"
      return [Violation(.longFieldPath, "\(size); at most \(maximumFieldNameBytes) are allowed")]
    }
    var checker = Checker()
    for segment in path.segments {
      checker.steps.append(.member(segment))
      checker.check(name: segment)
    }
    return checker.violations
  }
}

extension DocumentLimits {
  /// Traverses the fields of a document and tracks the location.
  private struct Checker {
    enum Step {
      case member(String)
      case element(Int)
    }

    var steps: [Step] = []
    var violations: [Violation] = []

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
      } else if count > maximumFieldNameBytes {
        add(.longFieldName, "has a name of \(count) bytes; at most \(maximumFieldNameBytes) are allowed")
      } else if PathLimits.isReserved(name) {
        add(.reservedFieldName, "has a reserved name: no name may begin and end with __")
      }
    }

    /// Checks the path as a mask would name it; array elements cannot be named.
    mutating func checkPath() {
      if steps.count < 2 { return }
      var bytes = steps.count - 1
      for step in steps {
        guard case .member(let name) = step else { return }
        let count = name.utf8.count
        // An overlong name is already a violation.
        if count > maximumFieldNameBytes { return }
        bytes += count
      }
      if bytes > maximumFieldNameBytes {
        add(.longFieldPath, "has a path of \(bytes) bytes; at most \(maximumFieldNameBytes) are allowed")
      }
    }

    /// Checks a value nested in `depth` maps and arrays.
    mutating func check(_ value: Value, depth: Int, inArray: Bool) {
      let before = violations.count
      switch value {
      case .null, .boolean, .integer, .double, .timestamp: return
      // The documented limit of the type, without the extra byte of its storage size.
      case .string(let text): check(bytes: text.utf8.count)
      case .bytes(let bytes): check(bytes: bytes.count)
      case .reference(let name):
        guard let path = DatabaseName.split(name)?.path else {
          add(.malformedReference, "is not the full name of a document (projects/P/databases/D/documents/…)")
          return
        }
        if let violation = PathLimits.violations(of: path).first {
          add(.malformedReference, "refers to what no document can be: \(violation.message)")
        }
      case .geoPoint(let point):
        if !(-90...90).contains(point.latitude) {
          add(.coordinate, "has a latitude outside -90 to 90 degrees")
        }
        if !(-180...180).contains(point.longitude) {
          add(.coordinate, "has a longitude outside -180 to 180 degrees")
        }
      case .array(let values):
        if inArray { add(.nestedArray, "is an array directly inside an array") }
        guard enter(depth) else { return }
        for (index, element) in values.enumerated() {
          steps.append(.element(index))
          check(element, depth: depth + 1, inArray: true)
          steps.removeLast()
        }
        if depth == 0, violations.count == before {
          check(bytes: DocumentSize.bytes(of: value, mapOverhead: 0))
        }
      case .map(let fields):
        if let vector = fields.vector {
          if vector.isEmpty { add(.malformedVector, "is a vector without components") }
          if fields["value"]?.array?.contains(where: { !$0.isDouble }) == true {
            add(.malformedVector, "is a vector of integers; its components must be doubles")
          }
          if vector.count > maximumVectorDimensions {
            let size = "is a vector of \(vector.count) components"
            add(.longVector, "\(size); at most \(maximumVectorDimensions) are allowed")
          }
          return
        }
        guard enter(depth) else { return }
        members(of: fields, depth: depth + 1)
        if depth == 0, violations.count == before {
          check(bytes: DocumentSize.bytes(of: value, mapOverhead: 0))
        }
      }
    }

    private mutating func enter(_ depth: Int) -> Bool {
      if depth < maximumDepth { return true }
      add(.deepValue, "is nested in \(depth) maps and arrays; at most \(maximumDepth) levels are allowed")
      return false
    }

    private mutating func check(bytes: Int) {
      if bytes > maximumValueBytes {
        add(.largeValue, "has \(bytes) bytes; at most \(maximumValueBytes) are allowed in one value")
      }
    }

    private mutating func add(_ code: Violation.Code, _ text: String) {
      violations.append(.init(code, "the field \(location) \(text)"))
    }

    /// The location as `a.b[3].c`, with long names truncated.
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
}

extension Value {
  fileprivate var isDouble: Bool { if case .double = self { true } else { false } }
}
