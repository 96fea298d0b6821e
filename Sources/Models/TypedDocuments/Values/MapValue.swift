import FirestoreModels

/// A map whose members are the properties of `Fields`: `{"mapValue": {"fields": {…}}}`; empty `{"mapValue": {}}`.
///
/// Its members are reached like a document's: `member.membershipPlanSnapshot?.planName` is a `String`. Maps with
/// members of any name are a `MapValue<FieldMap>`.
@dynamicMemberLookup
package struct MapValue<Fields>: TypedValue, MutableFieldAccess {
  /// The members.
  package var fields: Fields

  /// Makes a map.
  package init(fields: Fields) { self.fields = fields }

  /// Takes a map as it is.
  package init(_ plain: MapValue) { self = plain }

  /// The map itself, because its own members are reached through it.
  package var plain: MapValue {
    get { self }
    set { self = newValue }
  }
}

extension MapValue: Decodable where Fields: Decodable {
  /// Reads the wire's own JSON, or what a ``FirestoreDecoder`` holds.
  package init(from decoder: any Decoder) throws {
    let own = try ValueDecoder.of(decoder)
    guard case .map = own.value else { throw own.mismatch(Self.self, expected: "a map") }
    fields = try own.unbox(Fields.self)
  }
}

extension MapValue: Encodable where Fields: Encodable {
  /// Writes the wire's own JSON, or to a ``FirestoreEncoder`` the value itself.
  ///
  /// - Throws: `EncodingError` where `Fields` writes something else than members.
  package func encode(to encoder: any Encoder) throws {
    try Value.map(ValueEncoder.fields(of: fields, for: encoder)).encode(to: encoder)
  }
}

extension MapValue: Equatable where Fields: Equatable {}
extension MapValue: Sendable where Fields: Sendable {}
