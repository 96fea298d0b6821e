import Foundation

/// One HTTP header field, or one query parameter: a name and a value.
package struct HTTPField: Sendable, Hashable {
  /// The name as it was sent.
  package var name: String
  /// The value as it was sent (a query parameter's value is decoded).
  package var value: String

  /// Pairs a name with a value.
  package init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }
}

/// A request as the test server received it.
package struct TestRequest: Sendable {
  /// The method, such as `GET`.
  package var method: String
  /// The request target as sent, not decoded.
  package var target: String
  /// The header fields in the order in which they were sent.
  package var headers: [HTTPField]
  /// The body, with any transfer coding removed.
  package var body: [UInt8]
  /// When the request's head was complete, on a monotonic clock.
  package var time: ContinuousClock.Instant
  /// Number of the request within the server's life, from 0.
  package var index: Int
  /// Number of the request among those of its kind, from 0.
  package var kindIndex: Int
  /// Number of the connection that carried it, from 0.
  package var connection: Int

  /// A request that did not come over a socket, for calling a handler directly.
  package init(method: String, target: String, headers: [HTTPField] = [], body: [UInt8] = []) {
    self.method = method
    self.target = target
    self.headers = headers
    self.body = body
    time = .now
    index = 0
    kindIndex = 0
    connection = 0
  }

  /// The raw target up to the question mark.
  package var rawPath: String {
    String(target.utf8.prefix { $0 != UInt8(ascii: "?") }) ?? target
  }

  /// The path, percent-decoded once.
  package var path: String {
    String(decoding: percentDecoded(rawPath.utf8, plusIsSpace: false) ?? Array(rawPath.utf8), as: UTF8.self)
  }

  /// The query's parameters in order, decoded once as HTML forms are: a bare `+` is a space.
  package var query: [HTTPField] {
    formFields(Array(target.utf8.drop { $0 != UInt8(ascii: "?") }.dropFirst()))
  }

  /// The method that the request calls.
  package var kind: RequestKind { RequestKind(method: method, rawPath: rawPath) }

  /// The first value of a header field, its name compared without case.
  package func header(_ name: String) -> String? {
    headers.first { $0.name.lowercased() == name.lowercased() }?.value
  }

  /// The body as text.
  package var text: String { String(decoding: body, as: UTF8.self) }

  /// The documents that a commit writes or a batchGet reads, relative to the database.
  package var documentNames: [String] {
    let json = try? JSONSerialization.jsonObject(with: Data(body)) as? [String: Any]
    let writes = json?["writes"] as? [[String: Any]] ?? []
    let written = writes.compactMap {
      ($0["update"] as? [String: Any])?["name"] as? String ?? $0["delete"] as? String
    }
    return ((json?["documents"] as? [String] ?? []) + written)
      .compactMap { $0.components(separatedBy: "/documents/").last }
  }
}

/// Undoes percent-encoding once; nil if a percent sign is not followed by two hexadecimal digits.
func percentDecoded(_ bytes: some Sequence<UInt8>, plusIsSpace: Bool) -> [UInt8]? {
  func digit(_ byte: UInt8?) -> UInt8? {
    switch byte {
    case .some(let byte) where byte >= 0x30 && byte <= 0x39: byte - 0x30
    case .some(let byte) where byte >= 0x41 && byte <= 0x46: byte - 0x41 + 10
    case .some(let byte) where byte >= 0x61 && byte <= 0x66: byte - 0x61 + 10
    default: nil
    }
  }
  var decoded: [UInt8] = []
  var iterator = bytes.makeIterator()
  while let byte = iterator.next() {
    if byte == UInt8(ascii: "%") {
      guard let high = digit(iterator.next()), let low = digit(iterator.next()) else { return nil }
      decoded.append(high << 4 | low)
    } else {
      decoded.append(plusIsSpace && byte == UInt8(ascii: "+") ? 0x20 : byte)
    }
  }
  return decoded
}

/// The fields of a query string or of a form body.
func formFields(_ bytes: [UInt8]) -> [HTTPField] {
  bytes.split(separator: UInt8(ascii: "&")).map { pair in
    let name = pair.prefix { $0 != UInt8(ascii: "=") }
    let value = pair.dropFirst(name.count + 1)
    func text(_ part: ArraySlice<UInt8>) -> String {
      String(decoding: percentDecoded(part, plusIsSpace: true) ?? Array(part), as: UTF8.self)
    }
    return HTTPField(text(name), text(value))
  }
}
