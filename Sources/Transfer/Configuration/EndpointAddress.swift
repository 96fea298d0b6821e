import Platform

/// The normalized host and port of an endpoint, with a single name for this machine.
///
/// Case, trailing dots, the default port and trailing slashes make no difference. Addresses are compared as numbers:
/// `127.1`, `0`, `0x7f000001`, `[::1]` and `[::ffff:127.0.0.1]` are all this machine. Host names are not resolved, except
/// for those that always mean this machine.
package struct EndpointAddress: Equatable {
  /// The host in lower case; `localhost` for this machine.
  let host: String
  let port: Int

  private static let thisMachine = "localhost"

  /// Whether it is this machine.
  package var isHere: Bool { host.isIdentical(to: Self.thisMachine) }

  /// Parses an endpoint of scheme, host and optional port.
  package init(_ endpoint: String) {
    let text = endpoint.lowercased()
    let isSecure = text.hasPrefix("https://")
    let rest = text.utf8.drop { $0 != UInt8(ascii: "/") }.drop { $0 == UInt8(ascii: "/") }
      .prefix { $0 != UInt8(ascii: "/") }
    // The colon before a port follows the bracket of an IPv6 address.
    let colon = rest.lastIndex(of: UInt8(ascii: ":")).flatMap { at in
      rest[at...].contains(UInt8(ascii: "]")) ? nil : at
    }
    var host = String(Substring(colon.map { rest[..<$0] } ?? rest))
    port =
      colon.flatMap { Int(String(Substring(rest[rest.index(after: $0)...]))) } ?? (isSecure ? 443 : 80)
    while host.utf8.last == UInt8(ascii: ".") { host = String(host.dropLast()) }
    self.host = Self.name(of: host)
  }

  private static func name(of host: String) -> String {
    if host.hasPrefix("["), host.hasSuffix("]") {
      var address = in6_addr()
      guard inet_pton(AF_INET6, String(host.dropFirst().dropLast()), &address) == 1 else { return host }
      return name(of: withUnsafeBytes(of: &address) { Array($0) })
    }
    if localNames.contains(host) || host.hasSuffix(".\(thisMachine)") { return thisMachine }
    var address = in_addr()
    guard inet_aton(host, &address) != 0 else { return host }
    return name(of: withUnsafeBytes(of: &address) { Array($0) })
  }

  /// The names that every resolver maps to this machine (RFC 6761, and the hosts file of Linux systems).
  private static let localNames: Set = [
    "localhost", "localhost.localdomain", "localhost4", "localhost6", "ip6-localhost", "ip6-loopback",
  ]

  /// Returns the name of an address of 4 or 16 bytes.
  private static func name(of bytes: [UInt8]) -> String {
    if bytes.count == 4 {
      // A request to 0.0.0.0 reaches this machine.
      let isHere = bytes[0] == 127 || bytes.allSatisfy { $0 == 0 }
      return isHere ? thisMachine : bytes.map(String.init).joined(separator: ".")
    }
    let head = bytes[..<10].allSatisfy { $0 == 0 }
    if head, bytes[10...11].allSatisfy({ $0 == 0xFF }) { return name(of: Array(bytes[12...])) }
    if head, bytes[10...14].allSatisfy({ $0 == 0 }), bytes[15] <= 1 { return thisMachine }
    return "[\(bytes.map { String($0, radix: 16) }.joined(separator: ":"))]"
  }
}
