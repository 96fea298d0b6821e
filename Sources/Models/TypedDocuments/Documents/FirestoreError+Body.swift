public import FirestoreModels

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
    self.init(
      statusName: error["status"]?.string,
      number: error["code"]?.integer.flatMap { Int(exactly: $0) },
      message: error["message"]?.string
    )
    guard let details = error["details"] else { return }
    for detail in details.elements {
      read(
        detail: detail["@type"]?.string,
        reason: detail["reason"]?.string,
        retryDelay: detail["retryDelay"]?.string
      )
    }
  }

  private init(statusName: String?, number: Int?, message: String?) {
    let named = statusName.flatMap { Status(name: $0) }
    // A google.rpc.Status outside of HTTP has the number of the status itself.
    let numbered = number.flatMap { Status(rawValue: $0) }.flatMap { $0 == .ok ? nil : $0 }
    self.init(
      named ?? numbered ?? Status(httpCode: number ?? 0),
      message ?? "",
      code: number.flatMap { $0 >= 100 ? $0 : nil }
    )
  }

  private mutating func read(detail type: String?, reason: String?, retryDelay: String?) {
    switch type {
    case "type.googleapis.com/google.rpc.ErrorInfo"?: self.reason = reason
    case "type.googleapis.com/google.rpc.RetryInfo"?: self.retryDelay = retryDelay.flatMap(Self.seconds)
    default: break
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
  private enum Key: String, CodingKey {
    case error, code, message, status, details
  }

  private struct Detail: Decodable {
    enum CodingKeys: String, CodingKey {
      case type = "@type"
      case reason, retryDelay
    }

    var type: String?
    var reason: String?
    var retryDelay: String?
  }

  /// Decodes an error body (`{"error": {"code": 404, "message": "…", "status": "NOT_FOUND"}}`), or the object
  /// in it.
  ///
  /// An unknown status becomes the most likely one for the code, and unreadable details are left out.
  ///
  /// - Throws: `DecodingError` if there is no error, or a member of another type.
  public init(from decoder: any Decoder) throws {
    let outer = try decoder.container(keyedBy: Key.self)
    let body = outer.contains(.error) ? try outer.nestedContainer(keyedBy: Key.self, forKey: .error) : outer
    let number = try body.decodeIfPresent(Int.self, forKey: .code)
    let name = try body.decodeIfPresent(String.self, forKey: .status)
    guard outer.contains(.error) || number != nil || name != nil else {
      throw DecodingError.keyNotFound(Key.code, .fault("there is no error", at: body.codingPath))
    }
    self.init(
      statusName: name,
      number: number,
      message: try body.decodeIfPresent(String.self, forKey: .message)
    )
    for detail in (try? body.decodeIfPresent([Detail].self, forKey: .details)) ?? [] {
      read(detail: detail.type, reason: detail.reason, retryDelay: detail.retryDelay)
    }
  }
}

extension FirestoreError: LocalizedError {
  /// The status and the message, as in `NOT_FOUND: There is no such document`.
  public var errorDescription: String? { message.isEmpty ? status.name : "\(status.name): \(message)" }
}
