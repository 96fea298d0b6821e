package import FirestoreModels

/// A vector of doubles: a `mapValue` with the members `__type__` (`"__vector__"`) and `value`.
package struct VectorValue: ScalarValue {
  /// The components.
  package var vectorValue: [Double]

  /// Wraps components; see ``DocumentLimits`` for how many the service takes.
  package init(_ plain: [Double]) { vectorValue = plain }

  /// Takes a vector whose components are all doubles; nil for a value of another type.
  package init?(value: Value) {
    guard case .map(let fields) = value, fields.vector != nil, let elements = fields["value"]?.array else {
      return nil
    }
    var components: [Double] = []
    for element in elements {
      // An integer among them would be written back as a double.
      guard case .double(let component) = element else { return nil }
      components.append(component)
    }
    vectorValue = components
  }

  /// The value: a map, as the service encodes a vector.
  package var value: Value {
    .map(["__type__": .string("__vector__"), "value": .array(vectorValue.map { .double($0) })])
  }

  /// The plain value, as `vectorValue`.
  package var plain: [Double] {
    get { vectorValue }
    set { vectorValue = newValue }
  }

  /// What is expected, for errors.
  package static var expectation: String { "a vector of doubles" }
}

extension VectorValue: ExpressibleByArrayLiteral {
  /// Makes a vector of a literal.
  package init(arrayLiteral elements: Double...) { self.init(elements) }
}
