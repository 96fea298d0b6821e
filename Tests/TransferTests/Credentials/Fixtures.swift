import FirestoreModels
import Synchronization
import Testing

@testable import FirestoreREST

/// A transport that answers by a closure and keeps what it was asked.
final class FakeTransport: HTTPTransport {
  typealias Answer = @Sendable (HTTPRequest, Int) async throws(TransportError) -> HTTPResponse

  private let answer: Answer
  private let seen = Mutex<[HTTPRequest]>([])

  /// - Parameter answer: Gets the request and its number, from 1.
  init(_ answer: @escaping Answer) {
    self.answer = answer
  }

  var requests: [HTTPRequest] { seen.withLock { $0 } }

  func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
    let number = seen.withLock { seen in
      seen.append(request)
      return seen.count
    }
    return try await answer(request, number)
  }
}

/// A clock that is moved by hand.
final class ManualClock: Sendable {
  private let time: Mutex<Double>

  init(_ time: Double) {
    self.time = Mutex(time)
  }

  var now: Double { time.withLock { $0 } }

  func advance(by seconds: Double) { time.withLock { $0 += seconds } }
}

/// Files that are not on disk.
final class FakeFiles: Sendable {
  private let files: Mutex<[String: String]>

  init(_ files: [String: String]) {
    self.files = Mutex(files)
  }

  subscript(path: String) -> String? {
    get { files.withLock { $0[path] } }
    set { files.withLock { $0[path] = newValue } }
  }

  var reader: CredentialDiscovery.FileReader {
    { (path: String) throws(Failure) -> [UInt8]? in self[path].map { Array($0.utf8) } }
  }
}

/// Credential files with recognisable secrets.
enum CredentialFixture {
  static let secrets = [
    "SECRET-client", "SECRET-refresh", "SECRET-token", "PRIVATE KEY", "ya29.",
  ]

  static func serviceAccount(
    pem: String? = nil,
    tokenURI: String = "https://oauth2.example/token",
    extra: [String: String] = [:]
  ) throws -> String {
    var members = [
      "type": "service_account", "client_email": "sa@p1.iam.gserviceaccount.com",
      "private_key": try pem ?? TestKey.shared.get().pkcs8, "private_key_id": "kid-1", "project_id": "p1",
      "token_uri": tokenURI,
    ]
    for (name, value) in extra { members[name] = value.isEmpty ? nil : value }
    return json(members)
  }

  static func authorizedUser(_ extra: [String: String] = [:]) -> String {
    var members = [
      "type": "authorized_user", "client_id": "id.apps", "client_secret": "SECRET-client/+&",
      "refresh_token": "SECRET-refresh", "account": "", "universe_domain": "googleapis.com",
    ]
    for (name, value) in extra { members[name] = value.isEmpty ? nil : value }
    return json(members)
  }

  static func json(_ members: [String: String]) -> String {
    var json = JSONWriter()
    json.object {
      for (name, value) in members.sorted(by: { $0.key < $1.key }) {
        $0.key(name)
        $0.string(value)
      }
    }
    return String(decoding: json.bytes, as: UTF8.self)
  }

  static func token(_ name: String, expiresIn: Int? = 3599, headers: [String: String] = [:]) -> HTTPResponse {
    let lifetime = expiresIn.map { ",\"expires_in\":\($0)" } ?? ""
    return HTTPResponse(
      status: 200,
      headers: headers,
      body: Array("{\"access_token\":\"ya29.\(name)\"\(lifetime),\"token_type\":\"Bearer\"}".utf8)
    )
  }

  static func discovered(
    _ environment: [String: String],
    _ files: [String: String] = [:]
  ) throws(Failure) -> Credentials {
    try CredentialDiscovery(environment: environment, readFile: FakeFiles(files).reader).resolve()
  }

  static func credentials(_ file: String) throws(Failure) -> Credentials {
    try discovered(["GOOGLE_APPLICATION_CREDENTIALS": "/key.json"], ["/key.json": file])
  }

  /// A failure's every text, and none of it a secret.
  static func expectNoSecret(_ value: Any, sourceLocation: SourceLocation = #_sourceLocation) {
    var dumped = ""
    dump(value, to: &dumped)
    for text in [String(describing: value), String(reflecting: value), dumped] {
      for secret in secrets { #expect(!text.contains(secret), sourceLocation: sourceLocation) }
    }
  }
}
