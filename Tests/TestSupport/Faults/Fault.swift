/// A failure of the service or of the connection to it.
package enum Fault: Sendable {
  /// An error of the service; nothing was applied.
  case error(ServiceError)
  /// The service applied the request, and still answers with an error.
  case errorAfterApplying(ServiceError)
  /// The connection closes; nothing was applied.
  case drop
  /// The service applied the request; the connection closes before the response.
  case dropAfterApplying
  /// The connection is reset; nothing was applied.
  case reset
  /// The service applied the request; the connection is reset before the response.
  case resetAfterApplying
  /// The service applied the request; the response is cut off after this part of the body (0...1).
  case halfBody(Double)
  /// As `halfBody`, of a response in chunks, without the last one.
  case truncatedChunked(Double)
  /// A page of HTML with this status; nothing was applied.
  case html(Int)
  /// No response until the client disconnects; nothing was applied.
  case stall
  /// The service applied the request; no response until the client disconnects.
  case stallAfterApplying
  /// The head and this part of the body (0...1), and then nothing.
  case stallInBody(Double)
  /// The complete response, slowly.
  case drip(chunk: Int, interval: Duration)
  /// The complete response, after a delay.
  case delay(Duration)
  /// A stream whose next element after so many is an error; for a unary method the error alone.
  ///
  /// The status is 200 and the HTTP message is complete.
  case errorInStream(ServiceError, after: Int)
  /// The complete response without its closing bracket, in an HTTP message that is complete.
  case unterminated
  /// Status 200 and no body; the service applied the request.
  case emptyBody
  /// The token of this request is expired: 401 for every request that has it, until another is seen.
  case expiredToken
  /// The reaction of a closure, which receives the inner handler.
  case custom(@Sendable (TestRequest, RequestHandler) -> Reaction)
}

/// The requests that a rule applies to, counted from 1.
package enum Occasion: Sendable {
  /// The k-th only.
  case number(Int)
  /// Those of the list.
  case numbers(Set<Int>)
  /// The first k.
  case first(Int)
  /// The k-th and all later ones.
  case from(Int)
  /// Every k-th.
  case every(Int)
  /// A percentage, drawn from the seed, the request and its repetition, not from the order of arrival.
  case percent(Double)
  /// Every one.
  case always
}

/// When to inject which faults.
package struct FaultRule: Sendable {
  /// The kinds of requests; empty for all.
  package var kinds: Set<RequestKind>
  /// Which of those requests.
  package var occasion: Occasion
  /// The faults, one of which is drawn.
  package var faults: [Fault]
  /// The maximum number of injections.
  package var limit: Int
  /// A further condition on the request.
  package var matches: @Sendable (TestRequest) -> Bool

  /// Makes a rule.
  package init(
    _ kinds: Set<RequestKind> = [],
    _ occasion: Occasion,
    _ faults: Fault...,
    limit: Int = .max,
    where matches: @escaping @Sendable (TestRequest) -> Bool = { _ in true }
  ) {
    self.kinds = kinds
    self.occasion = occasion
    self.faults = faults
    self.limit = limit
    self.matches = matches
  }

  /// Makes a rule for a list of faults.
  package init(_ kinds: Set<RequestKind> = [], _ occasion: Occasion, oneOf faults: [Fault], limit: Int = .max)
  {
    self.kinds = kinds
    self.occasion = occasion
    self.faults = faults
    self.limit = limit
    matches = { _ in true }
  }
}
