import GRDB

/// Serves the requests of one connection in sequence on its own thread.
struct ServerConnection {
  /// The maximum size of a request body in bytes (https://firebase.google.com/docs/firestore/quotas).
  static let maximumBodyBytes = 10 << 20
  /// The maximum number of bytes of an oversized body to read, so that the client receives the response
  /// instead of a broken connection.
  private static let maximumSkippedBytes = 256 << 20

  private let service: FirestoreService
  private let stream: SocketStream
  private let budget: BodyBudget
  private let access: LocalFirestoreServer.Access
  private let resources = ConnectionResources()

  /// - Parameter budget: The limit for the bodies of all connections.
  init(
    _ socket: Int32,
    _ service: FirestoreService,
    _ budget: BodyBudget,
    _ access: LocalFirestoreServer.Access
  ) {
    self.service = service
    self.budget = budget
    self.access = access
    stream = SocketStream(socket)
  }

  /// Serves requests until either side closes the connection.
  func serve() {
    do {
      while try serveOne() {}
    } catch {
      // The peer closed the connection or violated the protocol; no response is possible.
    }
  }

  /// Serves one request.
  ///
  /// - Returns: Whether another may follow.
  private func serveOne() throws -> Bool {
    let head: RequestHead
    let length: RequestHead.BodyLength
    do {
      head = try RequestHead(try stream.readHead())
      length = try head.bodyLength()
    } catch let malformed as RequestHead.Malformed {
      return try refuse("The request cannot be understood: \(malformed.reason).")
    } catch SocketStream.StreamError.tooLong {
      return try refuse("The headers of the request are too long.")
    }
    let writer = ResponseWriter(stream, to: head, keepsAlive: head.keepsAlive)
    var reserved = 0
    defer { budget.release(reserved) }
    let body: [UInt8]
    do {
      body = try readBody(head, length, access.refusal(of: head, hasBody: length != .known(0)), &reserved)
    } catch let error as FirestoreError {
      try writer.fail(error, inArray: false)
      return head.keepsAlive
    } catch SocketStream.StreamError.malformed {
      return try refuse("The request cannot be understood: a chunk is malformed.")
    }
    try answer(head, body, writer)
    return head.keepsAlive
  }

  /// Answers a request that violates the protocol.
  ///
  /// - Returns: False, because no other request may follow.
  private func refuse(_ message: String) throws -> Bool {
    let writer = ResponseWriter(stream, to: nil, keepsAlive: false)
    try writer.fail(.invalid(message), inArray: false)
    return false
  }

  private static let tooLong = FirestoreError.invalid(
    "Request payload size exceeds the limit: \(maximumBodyBytes) bytes."
  )
  private static let busy = FirestoreError(
    .unavailable,
    "Request bodies have reached the memory limit; try again."
  )

  /// Reads the body completely, even if it is refused.
  ///
  /// - Parameters:
  ///   - refusal: Why the request is refused regardless of its body; the body is then discarded.
  ///   - reserved: The bytes reserved in the budget, for the caller to release.
  /// - Throws: `refusal`; ``FirestoreError`` if the body is too long or exceeds the budget.
  private func readBody(
    _ head: RequestHead,
    _ length: RequestHead.BodyLength,
    _ refusal: FirestoreError?,
    _ reserved: inout Int
  ) throws -> [UInt8] {
    if case .known(0) = length {
      if let refusal { throw refusal }
      return []
    }
    func reserve(_ count: Int) -> Bool {
      guard budget.reserve(count) else { return false }
      reserved += count
      return true
    }
    var body: [UInt8] = []
    switch length {
    case .known(let count):
      if count > Self.maximumSkippedBytes { throw SocketStream.StreamError.tooLong }
      let refusal =
        refusal ?? (count > Self.maximumBodyBytes ? Self.tooLong : reserve(count) ? nil : Self.busy)
      try sendContinue(head)
      if let refusal {
        try stream.skip(count)
        throw refusal
      }
      body.reserveCapacity(count)
      try stream.read(count, into: &body)
    case .chunked:
      try sendContinue(head)
      var total = 0
      var refusal = refusal
      while true {
        let size = try Self.chunkSize(try stream.readLine())
        if size == 0 { break }
        // Compared as a difference, because the sum could overflow.
        if size > Self.maximumSkippedBytes - total { throw SocketStream.StreamError.tooLong }
        total += size
        if refusal == nil, total > Self.maximumBodyBytes { refusal = Self.tooLong }
        if refusal == nil, !reserve(size) { refusal = Self.busy }
        if refusal != nil {
          body = []
          try stream.skip(size)
        } else {
          try stream.read(size, into: &body)
        }
        guard try stream.readLine().isEmpty else { throw SocketStream.StreamError.malformed }
      }
      while try !stream.readLine().isEmpty {}
      if let refusal { throw refusal }
    }
    return body
  }

  /// Parses the size of a chunk and ignores its extensions (RFC 9112 7.1).
  private static func chunkSize(_ line: [UInt8]) throws(SocketStream.StreamError) -> Int {
    let digits = line.prefix { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: " ") }
    // Digits only, because Int accepts a sign; 15 of them fit.
    guard digits.count <= 15, digits.allSatisfy({ $0.hexadecimalDigit != nil }),
      let size = Int(String(decoding: digits, as: UTF8.self), radix: 16)
    else { throw .malformed }
    return size
  }

  private func sendContinue(_ head: RequestHead) throws {
    if head.expectsContinue { try stream.write(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)) }
  }

  private func answer(_ head: RequestHead, _ body: [UInt8], _ writer: ResponseWriter) throws {
    var inArray = false
    do {
      let target = try RequestTarget(raw: head.target, hasVerb: head.method == "POST")
      let route = try Route(method: head.method, target: target)
      inArray = route.isStreaming
      if let coding = head.headers["content-encoding"], coding.lowercased() != "identity" {
        throw FirestoreError.invalid("The content-encoding '\(coding)' is not supported.")
      }
      let request = ServiceRequest(route: route, query: target.query, body: body)
      try service.answer(request, resources, writer)
      try writer.finish(type: route == .health ? "text/plain; charset=utf-8" : ResponseWriter.json)
    } catch let error as SocketStream.StreamError {
      throw error
    } catch {
      try writer.fail(Self.serviceError(error), inArray: inArray)
    }
  }

  private static func serviceError(_ error: any Error) -> FirestoreError {
    if let error = error as? FirestoreError { return error }
    guard let error = error as? DatabaseError else { return FirestoreError(.internal, "\(type(of: error))") }
    switch error.resultCode {
    case .SQLITE_BUSY, .SQLITE_LOCKED:
      return FirestoreError(.unavailable, "The data file is locked by another process.")
    case .SQLITE_FULL:
      return FirestoreError(.resourceExhausted, "The disk of the data file is full.")
    default:
      return FirestoreError(.internal, "The data file: \(error.message ?? "\(error.resultCode)")")
    }
  }
}
