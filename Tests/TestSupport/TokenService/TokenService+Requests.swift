import Foundation
import Synchronization

extension TokenService {
  /// `GET /identity?audience=…`: the identity provider, as that of GitHub Actions.
  func identity(_ request: TestRequest) -> Reaction {
    note(.identity)
    guard request.header("Authorization") == "Bearer \(Self.runnerToken)" else {
      return .json(#"{"message":"this job may not have a token"}"#, status: 403)
    }
    if !request.body.isEmpty { return violation("the identity provider was sent a body") }
    let subject = newSubject()
    if request.query.contains(HTTPField("format", "text")) {
      return .respond(
        200,
        headers: [HTTPField("Content-Type", "text/plain")],
        body: Array("\(subject)\n".utf8)
      )
    }
    return .json(Self.encoded(["count": 1, "value": subject]))
  }

  /// `POST /v1/token`: the Security Token Service.
  func exchange(_ request: TestRequest) -> Reaction {
    note(.exchange)
    guard request.header("Content-Type") == "application/x-www-form-urlencoded" else {
      return violation("the exchange is not a form")
    }
    let fields = formFields(request.body)
    guard Set(fields.map(\.name)).count == fields.count else {
      return violation("a field is given twice")
    }
    var form = Dictionary(fields.map { ($0.name, $0.value) }) { first, _ in first }
    func take(_ name: String) -> String? { form.removeValue(forKey: name) }
    guard take("grant_type") == "urn:ietf:params:oauth:grant-type:token-exchange" else {
      return violation("the grant_type is not that of an exchange")
    }
    guard take("requested_token_type") == "urn:ietf:params:oauth:token-type:access_token" else {
      return violation("the requested_token_type is not that of an access token")
    }
    guard take("subject_token_type") == options.subjectTokenType else {
      return violation("the subject_token_type is not the file's")
    }
    let login = options.client.map { "Basic \(Data($0.utf8).base64EncodedString())" }
    guard request.header("Authorization") == login else {
      return Self.oauthError("invalid_client", "The OAuth client was not found.", status: 401)
    }
    let details = options.userProject.map { #"{"userProject":"\#($0)"}"# }
    guard take("options") == details else { return violation("the options are not the file's") }
    guard let scope = take("scope"), !scope.isEmpty else { return violation("there is no scope") }
    guard take("audience") == options.audience else {
      return Self.oauthError(
        "invalid_target",
        #"The target service indicated by the "audience" parameters is invalid. This might either be because the pool or provider is disabled or deleted or because it doesn't exist."#
      )
    }
    guard let subject = take("subject_token") else { return violation("there is no subject_token") }
    if !form.isEmpty { return violation("unknown fields: \(form.keys.sorted().joined(separator: ", "))") }
    // Never the same one twice: it is to be read anew.
    guard state.withLock({ $0.subjects.remove(subject) }) != nil else {
      return Self.oauthError("invalid_grant", "ID Token \(subject) is stale to sign-in.")
    }
    let token = grant("federated", scope.split(separator: " ").map(String.init))
    return .json(
      Self.encoded([
        "access_token": token, "issued_token_type": "urn:ietf:params:oauth:token-type:access_token",
        "token_type": "Bearer", "expires_in": options.lifetime,
      ])
    )
  }

  /// `POST /token`: an assertion of a service account, or a refresh token.
  func assertion(_ request: TestRequest) -> Reaction {
    note(.assertion)
    let form = Dictionary(formFields(request.body).map { ($0.name, $0.value) }) { first, _ in first }
    guard form["grant_type"] == "urn:ietf:params:oauth:grant-type:jwt-bearer",
      let parts = form["assertion"]?.split(separator: "."), parts.count == 3,
      let claims = Self.object(inBase64: String(parts[1])), let issuer = claims["iss"] as? String,
      let scope = claims["scope"] as? String
    else { return violation("the grant is not an assertion") }
    let token = grant(issuer, scope.split(separator: " ").map(String.init))
    return .json(
      Self.encoded(["access_token": token, "expires_in": options.lifetime, "token_type": "Bearer"])
    )
  }

  /// `POST …:generateAccessToken`.
  func impersonation(_ request: TestRequest, of account: String) -> Reaction {
    note(.impersonation(account))
    guard request.header("Content-Type")?.hasPrefix("application/json") ?? false,
      let body = try? JSONSerialization.jsonObject(with: Data(request.body)) as? [String: Any]
    else { return badRequest("the body is not a JSON object") }
    guard Set(body.keys).isSubset(of: ["delegates", "lifetime", "scope"]) else {
      return badRequest("unknown members in \(body.keys.sorted())")
    }
    guard let scopes = body["scope"] as? [String], !scopes.isEmpty else { return badRequest("no scope") }
    guard let lifetime = body["lifetime"] as? String, lifetime.hasSuffix("s"),
      let seconds = Int(lifetime.dropLast()), (1...43_200).contains(seconds)
    else { return badRequest("the lifetime is not a duration") }
    let prefix = "projects/-/serviceAccounts/"
    let delegates = body["delegates"] as? [String] ?? []
    guard delegates.allSatisfy({ $0.hasPrefix(prefix) }) else {
      return badRequest("a delegate has no full name")
    }
    guard let caller = use(request),
      !Set(caller.scopes).isDisjoint(with: [
        "https://www.googleapis.com/auth/cloud-platform", "https://www.googleapis.com/auth/iam",
      ])
    else {
      return .json(
        #"{"error":{"code":401,"message":"Request had invalid authentication credentials.","status":"UNAUTHENTICATED"}}"#,
        status: 401
      )
    }
    let chain = [caller.principal] + delegates.map { String($0.dropFirst(prefix.count)) } + [account]
    for (who, whom) in zip(chain, chain.dropFirst())
    where !(options.creators[whom] ?? []).contains(who) {
      return .json(
        Self.encoded([
          "error": [
            "code": 403,
            "message":
              "Permission 'iam.serviceAccounts.getAccessToken' denied on resource (or it may not exist).",
            "status": "PERMISSION_DENIED",
            "details": [
              [
                "@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "IAM_PERMISSION_DENIED",
                "domain": "iam.googleapis.com",
              ]
            ],
          ] as [String: Any]
        ]),
        status: 403
      )
    }
    let formatter = ISO8601DateFormatter()
    let expiry = Date(timeIntervalSince1970: options.now() + Double(min(seconds, options.lifetime)))
    return .json(
      Self.encoded([
        "accessToken": grant(account, scopes), "expireTime": formatter.string(from: expiry),
      ])
    )
  }

  private func badRequest(_ text: String) -> Reaction {
    _ = violation(text)
    return .json(
      Self.encoded([
        "error": [
          "code": 400, "message": "Request contains an invalid argument.", "status": "INVALID_ARGUMENT",
        ]
          as [String: Any]
      ]),
      status: 400
    )
  }

  private static func object(inBase64 text: String) -> [String: Any]? {
    var text = text.replacing("-", with: "+").replacing("_", with: "/")
    while text.count % 4 != 0 { text += "=" }
    return Data(base64Encoded: text).flatMap { try? JSONSerialization.jsonObject(with: $0) as? [String: Any] }
  }
}
