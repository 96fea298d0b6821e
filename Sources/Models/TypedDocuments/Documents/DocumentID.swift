/// Marks a property that receives the document ID when decoding and is omitted when encoding.
///
///     struct GymClass: Codable {
///       @DocumentID var id: String?
///       var name: String
///     }
///
/// It is nil if fields are decoded without their document. A document with a field of the property's name is
/// an error, as in the official library: declare a plain `var id: String` for such a field. In coders other
/// than ``FirestoreDecoder`` and ``FirestoreEncoder`` it is a plain string. Equality compares bytes.
@propertyWrapper
public struct DocumentID: Codable, Hashable, Sendable {
  /// The document ID; nil if the fields were decoded without their document.
  public var wrappedValue: String?

  /// Wraps a document ID.
  public init(wrappedValue: String?) { self.wrappedValue = wrappedValue }

  /// Decodes a string or null.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    wrappedValue = container.decodeNil() ? nil : try container.decode(String.self)
  }

  /// Encodes the string or null.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(wrappedValue)
  }

  /// Whether both have the same UTF-8 bytes.
  public static func == (a: DocumentID, b: DocumentID) -> Bool {
    a.wrappedValue.map(UTF8Key.init) == b.wrappedValue.map(UTF8Key.init)
  }

  /// Hashes the UTF-8 bytes.
  public func hash(into hasher: inout Hasher) { hasher.combine(wrappedValue.map(UTF8Key.init)) }
}
