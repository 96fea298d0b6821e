/// A response: status, header fields, body.
package struct TestResponse: Sendable {
  /// The status code.
  package var status: Int
  /// Header fields; `Content-Type` (JSON unless given) and the framing are added by the server.
  package var headers: [HTTPField]
  /// The body.
  package var body: [UInt8]

  /// Makes a response.
  package init(_ status: Int = 200, headers: [HTTPField] = [], body: [UInt8] = []) {
    self.status = status
    self.headers = headers
    self.body = body
  }
}

/// The reaction of the server to a request: a complete response, or one of the ways in which responses go wrong.
package indirect enum Reaction: Sendable {
  /// A complete response. `Connection: close` among the headers closes the connection after it.
  case response(TestResponse)
  /// A complete response in chunks of the given size.
  case chunked(TestResponse, chunk: Int)
  /// A complete response that promises to keep the connection, and then closes it all the same.
  case responseThenClose(TestResponse)
  /// Closes the connection with no response.
  case dropConnection
  /// Resets the connection with no response (RST, not FIN).
  case reset
  /// Announces the full length, sends this part of the body (0...1), and closes.
  case halfBody(TestResponse, fraction: Double)
  /// Announces the full length, sends this part of the body (0...1), and resets.
  case halfBodyThenReset(TestResponse, fraction: Double)
  /// Sends this part of the body (0...1) in chunks, and closes without the last, empty chunk.
  case truncatedChunked(TestResponse, fraction: Double)
  /// A complete response in pieces of `chunk` bytes, `interval` apart.
  case drip(TestResponse, chunk: Int, interval: Duration)
  /// Takes the request and never answers, until the client disconnects or the server is closed.
  case stall
  /// Sends the head and this part of the body (0...1), and then nothing more, as `stall`.
  case stallInBody(TestResponse, fraction: Double)
  /// Plays the other reaction after a time, unless the client disconnects first.
  case delayed(Duration, Reaction)

  /// A complete response.
  package static func respond(_ status: Int = 200, headers: [HTTPField] = [], body: [UInt8] = []) -> Reaction
  {
    .response(TestResponse(status, headers: headers, body: body))
  }

  /// A complete JSON response.
  package static func json(_ text: String, status: Int = 200) -> Reaction {
    .respond(status, body: Array(text.utf8))
  }

  /// A page of HTML, as proxies and load balancers answer.
  package static func html(_ status: Int) -> Reaction {
    let page =
      "<!DOCTYPE html>\n<html><head><title>Error \(status)</title></head><body>\(status)</body></html>\n"
    return .respond(
      status,
      headers: [HTTPField("Content-Type", "text/html; charset=UTF-8")],
      body: Array(page.utf8)
    )
  }
}

/// Decides the reaction to a request; called once per request, on the connection's own thread.
package typealias RequestHandler = @Sendable (TestRequest) -> Reaction
