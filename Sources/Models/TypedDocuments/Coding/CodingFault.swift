/// Marks an error whose text contains types and locations but never data, and can be shown and logged.
struct CodingFault: Error {
  let reason: String
}

extension DecodingError {
  static func fault(_ reason: String, at path: [any CodingKey]) -> DecodingError {
    .dataCorrupted(.fault(reason, at: path))
  }
}

extension DecodingError.Context {
  static func fault(_ reason: String, at path: [any CodingKey]) -> DecodingError.Context {
    DecodingError.Context(
      codingPath: path,
      debugDescription: reason,
      underlyingError: CodingFault(reason: reason)
    )
  }
}

extension EncodingError {
  /// Returns an error about a value of a type, without the value, because errors are logged.
  static func fault(_ type: Any.Type, _ reason: String, at path: [any CodingKey]) -> EncodingError {
    .invalidValue(
      type,
      Context(codingPath: path, debugDescription: reason, underlyingError: CodingFault(reason: reason))
    )
  }
}
