import FirestoreModels

/// Encodes and decodes REST JSON in single calls.
enum Wire {
  static func encoded(_ value: Value) -> String {
    var json = JSONWriter()
    json.value(value)
    return String(decoding: json.bytes, as: UTF8.self)
  }

  static func encoded(_ document: RawDocument, in database: DatabaseName? = nil, times: Bool = true) -> String
  {
    var json = JSONWriter()
    json.document(document, in: database, times: times)
    return String(decoding: json.bytes, as: UTF8.self)
  }

  static func value(
    _ json: String,
    unknownMembers: WireDecoder.UnknownMembers = .ignored
  ) throws(WireError) -> Value {
    var decoder = WireDecoder(unknownMembers: unknownMembers)
    return try JSONParser().parse(Array(json.utf8)) { root throws(WireError) in try decoder.value(root) }
  }

  static func document(
    _ json: some Sequence<UInt8>,
    in database: DatabaseName? = nil,
    unknownMembers: WireDecoder.UnknownMembers = .ignored
  ) throws(WireError) -> RawDocument {
    var decoder = WireDecoder(unknownMembers: unknownMembers)
    return try JSONParser().parse(Array(json)) { root throws(WireError) in
      try decoder.document(root, in: database)
    }
  }
}
