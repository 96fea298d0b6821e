/// A Firestore value, for an evaluator of filters that shares nothing with the one it is compared with.
package indirect enum ReferenceDatum: Sendable, Equatable {
  /// The null value.
  case null
  /// A boolean.
  case boolean(Bool)
  /// A 64-bit signed integer.
  case integer(Int64)
  /// A 64-bit IEEE 754 number.
  case double(Double)
  /// A moment: whole seconds since 1970-01-01T00:00:00Z, and 0...999_999_999 nanoseconds after that second.
  case timestamp(seconds: Int64, nanoseconds: Int32)
  /// A text, as its UTF-8 bytes: texts that are equal to Swift may be different ones to the service.
  case string([UInt8])
  /// Bytes.
  case bytes([UInt8])
  /// A reference to a document: the segments of its path below the database, as `users`, `u1`.
  case reference([[UInt8]])
  /// A geographical point, in degrees.
  case geoPoint(latitude: Double, longitude: Double)
  /// An array.
  case array([ReferenceDatum])
  /// A vector. The service stores it as a map with reserved keys, but it is a type of its own.
  case vector([Double])
  /// A map. The entries may stand in any order; no key stands twice.
  case map([ReferenceEntry])

  /// Whether this is the null value.
  package var isNull: Bool {
    self == .null
  }

  /// Whether this is the double NaN.
  package var isNaN: Bool {
    if case .double(let number) = self { number.isNaN } else { false }
  }

  /// A text value.
  package static func text(_ text: String) -> ReferenceDatum {
    .string(Array(text.utf8))
  }

  /// A reference to the document of a path such as `users/u1`.
  package static func document(_ path: String) -> ReferenceDatum {
    .reference(path.utf8.split(separator: UInt8(ascii: "/")).map { Array($0) })
  }
}

/// One entry of a map: a key, as its UTF-8 bytes, and the value.
package struct ReferenceEntry: Sendable, Equatable {
  /// The key's UTF-8 bytes.
  package var key: [UInt8]
  /// What the key holds.
  package var value: ReferenceDatum

  /// An entry of these bytes as its key.
  package init(key: [UInt8], value: ReferenceDatum) {
    self.key = key
    self.value = value
  }

  /// An entry of this text as its key.
  package init(_ key: String, _ value: ReferenceDatum) {
    self.init(key: Array(key.utf8), value: value)
  }
}
