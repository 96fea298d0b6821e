package import FirestoreModels

extension FirestoreError {
  /// Decodes an error body: `{"error": {"code", "message", "status", "details"}}`, or an array with such an
  /// element, as streaming methods send; nil if there is no error.
  ///
  /// An unknown status becomes the most likely one for the code.
  package init?(body root: JSONCursor) {
    if root.kind == .array {
      guard let error = root.elements.lazy.compactMap({ $0["error"] }).first else { return nil }
      self.init(error: error)
    } else {
      guard let error = root["error"] else { return nil }
      self.init(error: error)
    }
  }

  private init?(error: JSONCursor) {
    guard error.kind == .object else { return nil }
    let code = error["code"]?.integer.flatMap { Int(exactly: $0) }
    let named = error["status"]?.string.flatMap { Status(name: $0) }
    // A google.rpc.Status outside of HTTP has the number of the status itself.
    let status = named ?? code.flatMap { Status(rawValue: $0) } ?? Status(httpCode: code ?? 0)
    self.init(
      status,
      error["message"]?.string ?? "",
      code: code.flatMap { $0 >= 100 ? $0 : nil }
    )
    guard let details = error["details"] else { return }
    for detail in details.elements {
      switch detail["@type"]?.string {
      case "type.googleapis.com/google.rpc.ErrorInfo"?: reason = detail["reason"]?.string
      case "type.googleapis.com/google.rpc.RetryInfo"?:
        retryDelay = detail["retryDelay"]?.string.flatMap(Self.seconds)
      default: break
      }
    }
  }

  /// The seconds of a protobuf duration in JSON: `1.500s`.
  private static func seconds(_ duration: String) -> Double? {
    guard duration.utf8.last == UInt8(ascii: "s"), let seconds = Double(duration.dropLast()),
      seconds.isFinite,
      seconds >= 0
    else { return nil }
    return seconds
  }
}
