import Foundation
import Synchronization

/// An identity provider, a Security Token Service, an OAuth endpoint and an IAM Service Account Credentials API, as
/// Google's documentation has them.
///
/// It checks every field of every request (https://cloud.google.com/iam/docs/reference/sts/rest/v1/TopLevel/token,
/// https://cloud.google.com/iam/docs/reference/credentials/rest/v1/projects.serviceAccounts/generateAccessToken,
/// https://google.aip.dev/auth/4117). A subject token is good for one exchange only, so one that is kept is refused.
package final class TokenService: Sendable {
  /// What it knows and how it behaves.
  package struct Options: Sendable {
    /// The provider of the pool.
    package var audience =
      "//iam.googleapis.com/projects/123456789/locations/global/workloadIdentityPools/ci/providers/github"
    package var subjectTokenType = "urn:ietf:params:oauth:token-type:jwt"
    /// Who may sign as whom: each needs the role on the next.
    package var creators: [String: Set<String>] = [:]
    /// The OAuth client that exchanges have to authenticate as, `id:secret`.
    package var client: String?
    /// The project that exchanges have to name.
    package var userProject: String?
    /// The seconds for which a token is said to be good.
    package var lifetime = 3599
    /// After so many requests a token is refused.
    package var requestsPerToken = Int.max
    /// The time in seconds since 1970.
    package var now: @Sendable () -> Double = { Date().timeIntervalSince1970 }

    package init() {}
  }

  /// A token that was given out.
  package struct Grant: Sendable {
    package var principal: String
    package var scopes: [String]
    var requests = 0
  }

  struct State {
    var subjects: Set<String> = []
    var subjectCount = 0
    var grants: [String: Grant] = [:]
    var grantCount = 0
    var violations: [String] = []
    var failures: [Int] = []
    /// The paths of what was asked, in their order.
    var steps: [Step] = []
  }

  /// What was asked.
  package enum Step: Sendable, Equatable {
    case identity, exchange, assertion
    case impersonation(String)
  }

  /// The header that the identity provider wants.
  package static let runnerToken = "runner-request-token-0123456789"

  package let options: Options
  let state = Mutex(State())

  package init(_ options: Options = Options()) {
    self.options = options
  }

  /// What was not as it has to be.
  package var violations: [String] { state.withLock { $0.violations } }
  package var steps: [Step] { state.withLock { $0.steps } }
  /// The tokens that were given out, the last one last.
  package var grants: [Grant] {
    state.withLock { state in (0..<state.grantCount).compactMap { state.grants[Self.name(ofToken: $0 + 1)] } }
  }

  /// Everything secret that it gave out.
  package var secrets: [String] {
    state.withLock { state in
      (0..<state.subjectCount).map { Self.name(ofSubject: $0 + 1) }
        + (0..<state.grantCount).map { Self.name(ofToken: $0 + 1) }
    } + [Self.runnerToken]
  }

  static func name(ofSubject number: Int) -> String { "eyJhbGciOiJub25lIn0.subject-\(number).c2lnbmF0dXJl" }
  static func name(ofToken number: Int) -> String { "ya29.service-token-\(number)-abcdefghijkl" }

  /// Makes a subject token, which is good for one exchange.
  package func newSubject() -> String {
    state.withLock { state in
      state.subjectCount += 1
      let subject = Self.name(ofSubject: state.subjectCount)
      state.subjects.insert(subject)
      return subject
    }
  }

  /// Answers the next requests with these statuses.
  package func fail(with statuses: [Int]) {
    state.withLock { $0.failures = statuses }
  }

  /// Answers a request of its own; nil for another.
  package func answer(_ request: TestRequest) -> Reaction? {
    let path = request.rawPath
    let accounts = "/v1/projects/-/serviceAccounts/"
    let answer: (TestRequest) -> Reaction
    switch (request.method, path) {
    case ("GET", "/identity"): answer = identity
    case ("POST", "/v1/token"): answer = exchange
    case ("POST", "/token"): answer = assertion
    case ("POST", _) where path.hasPrefix(accounts) && path.hasSuffix(":generateAccessToken"):
      let name = String(path.dropFirst(accounts.count).dropLast(":generateAccessToken".count))
      answer = { self.impersonation($0, of: name) }
    default: return nil
    }
    if let status = state.withLock({ $0.failures.isEmpty ? nil : $0.failures.removeFirst() }) {
      return status == 0 ? .dropConnection : .html(status)
    }
    return answer(request)
  }

  /// Answers its own requests, and others by a handler where they are signed by a token for Firestore.
  package func handler(before service: @escaping RequestHandler) -> RequestHandler {
    { request in
      if let reaction = self.answer(request) { return reaction }
      guard let grant = self.use(request), grant.scopes.contains("https://www.googleapis.com/auth/datastore")
      else {
        return .json(
          #"{"error":{"code":401,"message":"Request had invalid authentication credentials.","status":"UNAUTHENTICATED"}}"#,
          status: 401
        )
      }
      return service(request)
    }
  }

  /// The grant of the token of a request, which is used up by one.
  func use(_ request: TestRequest) -> Grant? {
    guard let header = request.header("Authorization"), header.hasPrefix("Bearer ") else { return nil }
    let token = String(header.dropFirst("Bearer ".count))
    return state.withLock { state in
      guard var grant = state.grants[token], grant.requests < options.requestsPerToken else { return nil }
      grant.requests += 1
      state.grants[token] = grant
      return grant
    }
  }

  func grant(_ principal: String, _ scopes: [String]) -> String {
    state.withLock { state in
      state.grantCount += 1
      let token = Self.name(ofToken: state.grantCount)
      state.grants[token] = Grant(principal: principal, scopes: scopes)
      return token
    }
  }

  func note(_ step: Step) { state.withLock { $0.steps.append(step) } }

  /// Records what is wrong, and answers as the service does.
  func violation(_ text: String) -> Reaction {
    state.withLock { $0.violations.append(text) }
    return Self.oauthError("invalid_request", text)
  }

  static func oauthError(_ code: String, _ text: String, status: Int = 400) -> Reaction {
    .json(encoded(["error": code, "error_description": text]), status: status)
  }

  static func encoded(_ object: [String: Any]) -> String {
    let data = try? JSONSerialization.data(withJSONObject: object, options: [.sortedKeys])
    return data.map { String(decoding: $0, as: UTF8.self) } ?? ""
  }
}
