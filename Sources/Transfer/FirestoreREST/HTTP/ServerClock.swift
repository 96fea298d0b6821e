import Files

/// The latest time that responses of a server have shown, in seconds since 1970 (`Date`, RFC 9110, 6.6.1).
///
/// It advances even if this machine's clocks stand still. It says nothing while there are no responses, and only
/// differences are meaningful, because a proxy's clock may differ.
package final class ServerClock: Sendable {
  private let latest = Locked<Int64?>(nil)

  package init() {}

  /// The time; nil if the server has not shown any.
  package var now: Int64? { latest.withLock { $0 } }

  func note(_ response: HTTPResponse) {
    guard let time = response.headers["date"].flatMap({ HTTPDate.seconds($0) }) else { return }
    latest.withLock { $0 = max($0 ?? time, time) }
  }
}
