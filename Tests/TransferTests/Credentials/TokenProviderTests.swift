import FirestoreModels
import Foundation
import Synchronization
import Testing

@testable import FirestoreREST

@Suite("Token provider", .timeLimit(.minutes(60)))
struct TokenProviderTests {
  private let clock = ManualClock(1_000_000)

  private func provider(
    _ transport: FakeTransport,
    _ credentials: Credentials? = nil,
    files: FakeFiles = FakeFiles([:]),
    sleep: @escaping @Sendable (Double) async throws -> Void = { _ in }
  ) throws -> TokenProvider {
    let user = try credentials ?? CredentialFixture.credentials(CredentialFixture.authorizedUser())
    return TokenProvider(
      user,
      transport: transport,
      readFile: files.reader,
      now: { [clock] in clock.now },
      sleep: sleep
    )
  }

  private func bearer(_ authorization: Authorization?) -> String? { authorization?.headers.first?.value }

  /// Lets other tasks run until a condition holds, or the time limit of the test is over.
  private func until(_ condition: () async -> Bool) async throws {
    while await !condition() {
      try Task.checkCancellation()
      await Task.yield()
    }
  }

  @Test func aTokenIsReplacedThreeMinutesFortyFiveBeforeItsEnd() async throws {
    let transport = FakeTransport { (_, number) throws(TransportError) in
      CredentialFixture.token("\(number)", expiresIn: 3600)
    }
    let provider = try provider(transport)
    #expect(bearer(try await provider.authorization()) == "Bearer ya29.1")
    clock.advance(by: 3374)
    #expect(bearer(try await provider.authorization()) == "Bearer ya29.1")
    #expect(await !provider.isRefreshing)
    clock.advance(by: 1)
    #expect(bearer(try await provider.authorization()) == "Bearer ya29.1")
    try await until { await !provider.isRefreshing }
    #expect(bearer(try await provider.authorization()) == "Bearer ya29.2")
    #expect(transport.requests.count == 2)
  }

  @Test func aSlowEndpointHoldsNothingUpWhileTheTokenIsGood() async throws {
    let isOpen = Mutex(false)
    let transport = FakeTransport { (_, number) throws(TransportError) in
      while number > 1, !isOpen.withLock({ $0 }) { await Task.yield() }
      return CredentialFixture.token("\(number)", expiresIn: 3600)
    }
    let provider = try provider(transport)
    _ = try await provider.authorization()
    clock.advance(by: 3539)
    for _ in 0..<5 { #expect(bearer(try await provider.authorization()) == "Bearer ya29.1") }
    // A minute before its end it is waited for.
    clock.advance(by: 1)
    let waiter = Task { try await provider.authorization() }
    try await until { await provider.waiting == 1 }
    isOpen.withLock { $0 = true }
    #expect(bearer(try await waiter.value) == "Bearer ya29.2")
    #expect(transport.requests.count == 2)
  }

  @Test func aShortTokenIsKeptForHalfItsLifeAndOneWithoutAnEndForEver() async throws {
    let transport = FakeTransport { (_, number) throws(TransportError) in
      CredentialFixture.token("\(number)", expiresIn: number == 1 ? 100 : nil)
    }
    let provider = try provider(transport)
    _ = try await provider.authorization()
    clock.advance(by: 49)
    #expect(bearer(try await provider.authorization()) == "Bearer ya29.1")
    clock.advance(by: 1)
    #expect(bearer(try await provider.authorization()) == "Bearer ya29.2")
    clock.advance(by: 1e9)
    #expect(bearer(try await provider.authorization()) == "Bearer ya29.2")
  }

  @Test func oneRefreshIsSharedByAllWaiters() async throws {
    let isOpen = Mutex(false)
    let transport = FakeTransport { (_, number) throws(TransportError) in
      while !isOpen.withLock({ $0 }) { await Task.yield() }
      return CredentialFixture.token("\(number)")
    }
    let provider = try provider(transport)
    let tokens = try await withThrowingTaskGroup(of: String?.self) { group in
      for _ in 0..<20 { group.addTask { self.bearer(try await provider.authorization()) } }
      try await until { await provider.waiting == 20 }
      isOpen.withLock { $0 = true }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(tokens == Array(repeating: "Bearer ya29.1", count: 20))
    #expect(transport.requests.count == 1)
  }

  @Test func aFailureIsSharedAndNotKept() async throws {
    let isOpen = Mutex(false)
    let transport = FakeTransport { (_, number) throws(TransportError) in
      while !isOpen.withLock({ $0 }) { await Task.yield() }
      return number == 1
        ? HTTPResponse(status: 401, body: Array(#"{"error":"invalid_client"}"#.utf8))
        : CredentialFixture.token("2")
    }
    let provider = try provider(transport)
    let failures = try await withThrowingTaskGroup(of: Failure?.self) { group in
      for _ in 0..<5 {
        group.addTask {
          do throws(Failure) {
            _ = try await provider.authorization()
            return nil
          } catch {
            return error
          }
        }
      }
      try await until { await provider.waiting == 5 }
      isOpen.withLock { $0 = true }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(failures.count == 5)
    #expect(failures.allSatisfy { $0?.cause == "HTTP 401, invalid_client" })
    #expect(bearer(try await provider.authorization()) == "Bearer ya29.2")
  }

  @Test func onlyTheTokenThatFailedIsReplaced() async throws {
    let transport = FakeTransport { (_, number) throws(TransportError) in CredentialFixture.token("\(number)")
    }
    let provider = try provider(transport)
    let first = try await provider.authorization()
    let second = try #require(try await provider.refreshed(after: first))
    #expect(bearer(second) == "Bearer ya29.2")
    // Late news of the first token's refusal must not cost the second one.
    #expect(bearer(try await provider.refreshed(after: first)) == "Bearer ya29.2")
    await provider.invalidate(first)
    #expect(bearer(try await provider.authorization()) == "Bearer ya29.2")
    #expect(transport.requests.count == 2)
    await provider.invalidate(second)
    #expect(bearer(try await provider.authorization()) == "Bearer ya29.3")
  }

  @Test func passingFailuresAreTriedAgain() async throws {
    let delays = Mutex<[Double]>([])
    let transport = FakeTransport { (_, number) throws(TransportError) in
      switch number {
      case 1: throw TransportError(.notConnected, "no route")
      case 2: throw TransportError(.lost, "reset")
      case 3: return HTTPResponse(status: 503, headers: ["retry-after": "7"])
      default: return CredentialFixture.token("4")
      }
    }
    let provider = try provider(transport) { delay in delays.withLock { $0.append(delay) } }
    #expect(bearer(try await provider.authorization()) == "Bearer ya29.4")
    let waited = delays.withLock { $0 }
    try #require(waited.count == 3)
    #expect((0.5...1).contains(waited[0]) && (1...2).contains(waited[1]) && waited[2] == 7)
  }

  @Test func theyAreGivenUpAfterFourAttempts() async throws {
    let transport = FakeTransport { (_, _) throws(TransportError) in HTTPResponse(status: 429) }
    let provider = try provider(transport)
    let failure = await #expect(throws: Failure.self) { try await provider.authorization() }
    #expect(failure?.kind == .unavailable)
    #expect(failure?.cause == "HTTP 429 (4 attempts)")
    #expect(transport.requests.count == 4)
    CredentialFixture.expectNoSecret(failure as Any)
  }

  @Test(arguments: [TransportError.Kind.invalid, .bodyTooLarge])
  func whatCannotPassIsNotTriedAgain(kind: TransportError.Kind) async throws {
    let transport = FakeTransport { (_, _) throws(TransportError) in
      throw TransportError(kind, "certificate expired")
    }
    let provider = try provider(transport)
    let failure = await #expect(throws: Failure.self) { try await provider.authorization() }
    #expect(failure?.kind == .configuration && failure?.cause == "certificate expired")
    #expect(transport.requests.count == 1)
  }

  @Test func aTokenThatCannotBeReplacedEarlyIsUsedToItsEnd() async throws {
    let transport = FakeTransport { (_, number) throws(TransportError) in
      number == 1 ? CredentialFixture.token("1", expiresIn: 3600) : HTTPResponse(status: 500)
    }
    let provider = try provider(transport)
    _ = try await provider.authorization()
    clock.advance(by: 3400)
    func stillTheFirst(requests: Int) async throws {
      #expect(bearer(try await provider.authorization()) == "Bearer ya29.1")
      try await until { await !provider.isRefreshing }
      #expect(transport.requests.count == requests)
    }
    try await stillTheFirst(requests: 5)
    // Held off: not every request pays for the endpoint's trouble.
    clock.advance(by: 9)
    try await stillTheFirst(requests: 5)
    clock.advance(by: 2)
    try await stillTheFirst(requests: 9)
    // In its last minute it is waited for, and used where that fails.
    clock.advance(by: 150)
    try await stillTheFirst(requests: 13)
    try await stillTheFirst(requests: 13)
    clock.advance(by: 300)
    let failure = await #expect(throws: Failure.self) { try await provider.authorization() }
    #expect(failure?.kind == .unavailable)
  }

  @Test func aCancelledWaiterLeavesAtOnceAndTheOthersStay() async throws {
    let isOpen = Mutex(false)
    let transport = FakeTransport { (_, _) throws(TransportError) in
      while !isOpen.withLock({ $0 }) {
        if Task.isCancelled { throw TransportError(.cancelled, "cancelled") }
        await Task.yield()
      }
      return CredentialFixture.token("1")
    }
    let provider = try provider(transport)
    let leaving = Task { try await provider.authorization() }
    let staying = Task { try await provider.authorization() }
    try await until { await provider.waiting == 2 }
    leaving.cancel()
    let failure = await #expect(throws: Failure.self) { try await leaving.value }
    #expect(failure?.kind == .interrupted)
    #expect(await provider.waiting == 1)
    isOpen.withLock { $0 = true }
    #expect(bearer(try await staying.value) == "Bearer ya29.1")
    #expect(transport.requests.count == 1)
  }

  @Test func theRequestIsCancelledWithItsLastWaiterAndANewOneStartsAnew() async throws {
    let wasCancelled = Mutex(false)
    let transport = FakeTransport { (_, number) throws(TransportError) in
      if number > 1 { return CredentialFixture.token("\(number)") }
      while !Task.isCancelled { await Task.yield() }
      wasCancelled.withLock { $0 = true }
      throw TransportError(.cancelled, "cancelled")
    }
    let provider = try provider(transport)
    let only = Task { try await provider.authorization() }
    try await until { await provider.waiting == 1 && transport.requests.count == 1 }
    only.cancel()
    await #expect(throws: Failure.self) { try await only.value }
    try await until { wasCancelled.withLock { $0 } }
    #expect(bearer(try await provider.authorization()) == "Bearer ya29.2")
  }

  @Test func aTaskThatIsCancelledAlreadyAsksForNothing() async throws {
    let transport = FakeTransport { (_, _) throws(TransportError) in CredentialFixture.token("1") }
    let provider = try provider(transport)
    let isCancelled = Mutex(false)
    let task = Task {
      while !isCancelled.withLock({ $0 }) { await Task.yield() }
      return try await provider.authorization()
    }
    task.cancel()
    isCancelled.withLock { $0 = true }
    let failure = await #expect(throws: Failure.self) { try await task.value }
    #expect(failure?.kind == .interrupted)
    #expect(transport.requests.isEmpty)
  }

  @Test func aTokenFileIsReadAgain() async throws {
    let files = FakeFiles(["/token": " ya29.first\n"])
    let transport = FakeTransport { (_, _) throws(TransportError) in
      throw TransportError(.invalid, "unexpected")
    }
    let provider = try provider(
      transport,
      Credentials(.accessTokenFile(AccessTokenFile(path: "/token")), quotaProject: "payer"),
      files: files
    )
    let first = try await provider.authorization()
    #expect(first.headers.map(\.value) == ["Bearer ya29.first", "payer"])
    // The same token again is of no use after a 401.
    #expect(try await provider.refreshed(after: first) == nil)
    files["/token"] = "ya29.second"
    #expect(bearer(try await provider.authorization()) == "Bearer ya29.first")
    clock.advance(by: 60)
    let second = try await provider.authorization()
    #expect(bearer(second) == "Bearer ya29.second")
    // Caught while it is being written: the token at hand is used on.
    files["/token"] = ""
    clock.advance(by: 60)
    #expect(bearer(try await provider.authorization()) == "Bearer ya29.second")
    let failure = await #expect(throws: Failure.self) { try await provider.refreshed(after: second) }
    #expect(failure?.cause == "it is empty")
  }

  @Test(arguments: [
    (nil, "there is no such file"), ("", "it is empty"), (" \n", "it is empty"),
    ("ya29.a b", "it does not contain exactly one token"),
    ("ya29.a\nya29.b", "it does not contain exactly one token"),
    ("ya29.é", "it does not contain exactly one token"),
  ])
  func aTokenFileThatHoldsNoToken(content: String?, cause: String) async throws {
    let files = FakeFiles([:])
    files["/token"] = content
    let transport = FakeTransport { (_, _) throws(TransportError) in
      throw TransportError(.invalid, "unexpected")
    }
    let provider = try provider(
      transport,
      Credentials(.accessTokenFile(AccessTokenFile(path: "/token"))),
      files: files
    )
    let failure = await #expect(throws: Failure.self) { try await provider.authorization() }
    #expect(failure?.kind == .configuration && failure?.path == "/token" && failure?.cause == cause)
    CredentialFixture.expectNoSecret(failure as Any)
  }

  @Test func nothingPrintsTheToken() async throws {
    let transport = FakeTransport { (_, _) throws(TransportError) in CredentialFixture.token("1") }
    let authorization = try await provider(transport).authorization()
    #expect(authorization.description == "token 1")
    CredentialFixture.expectNoSecret(authorization)
    CredentialFixture.expectNoSecret(authorization.token as Any)
  }

  @Test func filesOfThisMachine() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "gymmigrate-\(UUID().uuidString)"
    )
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appendingPathComponent("a b.json")
    #expect(try CredentialDiscovery.readFile(at: file.path) == nil)
    #expect(try CredentialDiscovery.readFile(at: file.appendingPathComponent("x").path) == nil)
    try Data("text".utf8).write(to: file)
    #expect(try CredentialDiscovery.readFile(at: file.path) == Array("text".utf8))
    try Data(count: 1 << 20 + 1).write(to: file)
    #expect(throws: Failure.self) { try CredentialDiscovery.readFile(at: file.path) }
    let failure = #expect(throws: Failure.self) { try CredentialDiscovery.readFile(at: folder.path) }
    #expect(failure?.path == folder.path)
  }
}
