import FirestoreModels
import Synchronization

/// JSON parsers with their grown buffers, lent to one task at a time.
final class ParserPool: Sendable {
  /// The parsers that nobody uses at the moment.
  ///
  /// `JSONParser` is not `Sendable` because it must serve one task at a time, which the lending sees to.
  private struct Idle: @unchecked Sendable {
    var parsers: [JSONParser] = []
  }

  private let idle = Mutex(Idle())

  /// A parser for the caller alone, until it gives it back.
  func take() -> ParsedBody {
    let parser = idle.withLock { $0.parsers.popLast() }
    return ParsedBody(parser ?? JSONParser(), pool: self)
  }

  fileprivate func giveBack(_ parser: sending JSONParser) {
    idle.withLock { idle in
      if idle.parsers.count < 8 { idle.parsers.append(parser) }
    }
  }
}

/// A parsed answer: it keeps its parser until it is released, and is handed from task to task but used by one.
package final class ParsedBody: @unchecked Sendable {
  /// The parser, for the holder alone.
  let parser: JSONParser
  private let pool: ParserPool

  fileprivate init(_ parser: JSONParser, pool: ParserPool) {
    self.parser = parser
    self.pool = pool
  }

  deinit {
    nonisolated(unsafe) let parser = parser
    pool.giveBack(parser)
  }
}
