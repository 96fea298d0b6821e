#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension FirestoreError {
  /// Decodes an error body: `{"error": {"code", "message", "status", "details"}}`, or an array with such an
  /// element, as streaming methods send; nil if there is no error.
  ///
  /// An unknown status becomes the most likely one for the code.
  package init?(body root: JSONCursor) {
    let error = root.kind == .array ? root.elements.lazy.compactMap { $0["error"] }.first : root["error"]
    guard let error, error.kind == .object else { return nil }
    self.init(of: error)
  }

  private init(of error: JSONCursor) {
    let number = error["code"]?.integer.flatMap { Int(exactly: $0) }
    let named = error["status"]?.string.flatMap { Status(name: $0) }
    // A google.rpc.Status outside of HTTP has the number of the status itself as its code.
    let numbered = number.flatMap { Status(rawValue: $0) }.flatMap { $0 == .ok ? nil : $0 }
    self.init(
      named ?? numbered ?? Status(httpCode: number ?? 0),
      error["message"]?.string ?? "",
      code: number.flatMap { $0 >= 100 ? $0 : nil }
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
      seconds.isFinite, seconds >= 0
    else { return nil }
    return seconds
  }
}

extension FirestoreError: Decodable {
  /// Decodes an error body (`{"error": {"code": 404, "message": "…", "status": "NOT_FOUND"}}`), or its inner object.
  ///
  /// An unknown status becomes the most likely one for the code, and unreadable details are omitted.
  ///
  /// - Throws: `DecodingError` if there is no error.
  public init(from decoder: any Decoder) throws {
    self = try decoder.readJSON { root, _ throws(WireError) in
      if let error = FirestoreError(body: root) { return error }
      guard root["status"]?.string != nil || root["code"]?.integer != nil else {
        throw WireError("there is no error")
      }
      return FirestoreError(of: root)
    }
  }
}

extension FirestoreError: LocalizedError {
  /// The status and the message, as in `NOT_FOUND: There is no such document`.
  public var errorDescription: String? { message.isEmpty ? status.name : "\(status.name): \(message)" }
}
