/// One way in which the service, or the way to it, fails.
package enum Fault: Sendable {
  /// The service refuses; nothing was applied.
  case error(ServiceError)
  /// The service applied the request, and still answers with an error.
  case errorAfterApplying(ServiceError)
  /// The connection closes; nothing was applied.
  case drop
  /// The service applied the request; the connection closes before the answer.
  case dropAfterApplying
  /// The connection is reset; nothing was applied.
  case reset
  /// The service applied the request; the connection is reset before the answer.
  case resetAfterApplying
  /// The service applied the request; the answer breaks off after this part of the body (0...1).
  case halfBody(Double)
  /// As `halfBody`, of an answer in chunks, without the last one.
  case truncatedChunked(Double)
  /// A page of HTML with this status; nothing was applied.
  case html(Int)
  /// No answer until the client goes; nothing was applied.
  case stall
  /// The service applied the request; no answer until the client goes.
  case stallAfterApplying
  /// The head and this part of the body (0...1), and then silence.
  case stallInBody(Double)
  /// The proper answer, slowly.
  case drip(chunk: Int, interval: Duration)
  /// The proper answer, after a while.
  case delay(Duration)
  /// A stream whose next element after so many is an error; for a unary method the error alone.
  ///
  /// The status is 200 and the HTTP message is complete.
  case errorInStream(ServiceError, after: Int)
  /// The proper answer without its closing bracket, in an HTTP message that is complete.
  case unterminated
  /// Status 200 and no body; the service applied the request.
  case emptyBody
  /// The token of this request is expired: 401 for every request that has it, until another is seen.
  case expiredToken
  /// Whatever the closure makes of the request; it gets the inner handler.
  case custom(@Sendable (TestRequest, RequestHandler) -> Reaction)
}

/// Which requests of a rule's a fault is for; requests are counted from 1.
package enum Occasion: Sendable {
  /// The k-th only.
  case number(Int)
  /// Those of the list.
  case numbers(Set<Int>)
  /// The first k.
  case first(Int)
  /// The k-th and all that follow.
  case from(Int)
  /// Every k-th.
  case every(Int)
  /// So many of a hundred, drawn from the seed, the request and how often it came: not from the order of arrival.
  case percent(Double)
  /// Every one.
  case always
}

/// When which faults are played.
package struct FaultRule: Sendable {
  /// What the rule is for; empty is everything.
  package var kinds: Set<RequestKind>
  /// Which of those requests.
  package var occasion: Occasion
  /// The faults, one of which is drawn.
  package var faults: [Fault]
  /// How many times the rule may play at most.
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
