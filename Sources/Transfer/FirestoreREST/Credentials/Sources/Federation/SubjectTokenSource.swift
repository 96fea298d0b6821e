/// Where the token of the other identity provider comes from, and is renewed.
enum SubjectTokenSource: Sendable, Equatable {
  /// A file that another program writes, as Kubernetes does.
  case file(path: String, SubjectTokenFormat)
  /// An address that returns it, as those of GitHub Actions and Azure do.
  case address(TokenAddress)
  /// A program that prints it.
  case program(TokenProgram)

  /// An address that returns a token, with the headers that it requires.
  struct TokenAddress: Sendable, Equatable {
    let url: String
    let headers: [RequestHeader]
    let format: SubjectTokenFormat

    /// Returns the request for the token.
    var request: HTTPRequest {
      HTTPRequest(
        method: "GET",
        url: url,
        headers: headers.map { ($0.name, $0.value.revealed) },
        timeout: 30,
        maximumBodyBytes: TokenEndpoint.maximumBytes
      )
    }
  }

  /// A header whose value may contain a secret.
  struct RequestHeader: Sendable, Equatable {
    let name: String
    let value: Secret

    /// Creates a header; nil if it is invalid.
    init?(_ name: String, _ value: String) {
      let isToken: (UInt8) -> Bool = { $0.isASCIILetterOrDigit || "!#$%&'*+-.^_`|~".utf8.contains($0) }
      guard !name.isEmpty, name.utf8.allSatisfy(isToken),
        value.utf8.allSatisfy({ (0x20...0x7E).contains($0) })
      else { return nil }
      self.name = name
      let isCredential = name.lowercased() == "authorization"
      // Ordinary values such as "Google" or "application/json" are not secret, and neither is the word "Bearer".
      self.value = Secret(value) { word in
        word.utf8.count >= Self.minimumSecretBytes
          || (isCredential && !Self.schemes.contains(word.lowercased()))
      }
    }

    private static let minimumSecretBytes = 20
    private static let schemes: Set = ["bearer", "basic", "digest", "negotiate", "token"]
  }

  /// Reads the member `credential_source` of a file.
  init(_ file: CredentialFile, environment: [String: String]) throws(Failure) {
    guard let source = try file.object("credential_source") else {
      throw file.malformed("it has no 'credential_source'", remedy: ExternalAccount.remedy)
    }
    if source.has("environment_id") {
      throw source.malformed(
        "it takes the token of AWS ('environment_id'), which is not supported",
        remedy: Self.supported
      )
    }
    if source.has("certificate") {
      throw source.malformed(
        "it takes an X.509 certificate ('certificate'), which is not supported",
        remedy: Self.supported
      )
    }
    let kinds = ["file", "url", "executable"].filter(source.has)
    guard kinds.count == 1, let kind = kinds.first else {
      throw source.malformed("it has to have one of 'file', 'url' and 'executable'", remedy: Self.supported)
    }
    if kind == "executable" {
      self = .program(try TokenProgram(source, of: file, environment: environment))
      return
    }
    let format = try SubjectTokenFormat(source)
    let texts = try source.require(kind)
    if kind == "file" {
      self = .file(path: texts[0], format)
      return
    }
    guard CredentialURL.isConfidential(texts[0], acceptsMetadataServer: true) else {
      throw source.malformed(
        "its 'url' is neither an https URL nor one of this machine",
        remedy: "Use https: the network would see the token."
      )
    }
    var headers: [RequestHeader] = []
    for (name, value) in try source.texts(of: "headers") {
      guard let header = RequestHeader(name, value) else {
        throw source.malformed("its 'headers' have one that is not a header")
      }
      headers.append(header)
    }
    self = .address(TokenAddress(url: texts[0], headers: headers, format: format))
  }

  static let supported =
    "Supported are a token from a file, from a URL and from a program; for others use a service account key."
}

/// The format of a token in a file or a response.
enum SubjectTokenFormat: Sendable, Equatable {
  /// Only the token.
  case text
  /// The string member of an object.
  case json(member: String)

  /// Reads the member `format` of a credential source.
  init(_ source: CredentialFile) throws(Failure) {
    guard let format = try source.object("format") else {
      self = .text
      return
    }
    switch format["type"] {
    case nil, "text": self = .text
    case "json": self = .json(member: try format.require("subject_token_field_name")[0])
    case .some: throw format.malformed("its 'type' is neither text nor json")
    }
  }

  /// Returns the token in a file or a response.
  ///
  /// - Throws: What is wrong, in words that reveal nothing of the content.
  func token(in bytes: [UInt8]) throws(WireError) -> Secret {
    switch self {
    case .text: return try Self.checked(bytes)
    case .json(let member):
      let text = try TokenEndpoint.parse(bytes) { root throws(WireError) in
        var text: String?
        for (name, value) in root.members where name.string.isIdentical(to: member) { text = value.string }
        return text
      }
      guard let text else { throw WireError("it has no text '\(member)'") }
      return try Self.checked(Array(text.utf8))
    }
  }

  /// Returns a token without surrounding white space.
  static func checked(_ bytes: [UInt8]) throws(WireError) -> Secret {
    let isBlank: (UInt8) -> Bool = { $0 == 0x20 || ($0 >= 0x09 && $0 <= 0x0D) }
    let text = Array(bytes.drop(while: isBlank).reversed().drop(while: isBlank).reversed())
    if text.isEmpty { throw WireError("it is empty") }
    guard AccessToken.isHeaderSafe(text) else { throw WireError("it does not contain exactly one token") }
    return Secret(String(decoding: text, as: UTF8.self))
  }
}
