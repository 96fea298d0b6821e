import FirestoreModels

/// Marks the property that takes the document's id when it is read and is left out when it is written.
///
/// ```swift
/// struct GymClass: Codable {
///   @DocumentID var id: String?
///   var name: String
/// }
/// ```
///
/// It is nil where fields are read without their document. A document that has a field of the property's name is an
/// error, as in the official library: such a struct declares a plain `var id: String`. With coders other than
/// ``FirestoreDecoder`` and ``FirestoreEncoder`` it is the plain text. Two are equal if their bytes are.
@propertyWrapper
package struct DocumentID: Codable, Hashable, Sendable {
  /// The id.
  package var wrappedValue: String?

  /// Makes a property that holds an id.
  package init(wrappedValue: String?) { self.wrappedValue = wrappedValue }

  /// Reads a text or null.
  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    wrappedValue = container.decodeNil() ? nil : try container.decode(String.self)
  }

  /// Writes the text or null.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(wrappedValue)
  }

  /// Whether both are the same bytes.
  package static func == (a: DocumentID, b: DocumentID) -> Bool {
    a.wrappedValue.map(UTF8Key.init) == b.wrappedValue.map(UTF8Key.init)
  }

  /// Feeds the bytes that equality compares.
  package func hash(into hasher: inout Hasher) { hasher.combine(wrappedValue.map(UTF8Key.init)) }
}
