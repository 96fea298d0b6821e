import Synchronization

/// A pool of JSON parsers, to reuse their buffers; each serves one task at a time.
final class ParserPool: Sendable {
  /// The unused parsers.
  ///
  /// `JSONParser` is not `Sendable` because it serves one task at a time, which the pool ensures.
  private struct Idle: @unchecked Sendable {
    var parsers: [JSONParser] = []
  }

  private let idle = Mutex(Idle())

  /// Returns a parser for exclusive use with a response of the given size, until its body is released.
  func take(forBytes bytes: Int) -> ParsedBody {
    let parser = idle.withLock { $0.parsers.popLast() }
    return ParsedBody(parser ?? JSONParser(), bytes: bytes, pool: self)
  }

  /// A parser keeps the memory of its largest text, so one that parsed a large text is not kept.
  private static let largestIdle = 512 << 10

  fileprivate func giveBack(_ parser: sending JSONParser, after bytes: Int) {
    if bytes > Self.largestIdle { return }
    idle.withLock { idle in
      if idle.parsers.count < 8 { idle.parsers.append(parser) }
    }
  }
}

/// A parsed response.
///
/// It holds its parser until it is released; tasks may pass it on, but only one may use it.
package final class ParsedBody: @unchecked Sendable {
  /// The parser, only for the holder.
  let parser: JSONParser
  /// The size of the response.
  let bytes: Int
  private let pool: ParserPool

  fileprivate init(_ parser: JSONParser, bytes: Int, pool: ParserPool) {
    self.parser = parser
    self.bytes = bytes
    self.pool = pool
  }

  deinit {
    nonisolated(unsafe) let parser = parser
    pool.giveBack(parser, after: bytes)
  }
}
