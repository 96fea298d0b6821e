package import Configuration
import Files
import Platform

/// Finds the credentials of a run, in the order of Google's Application Default Credentials.
///
/// It uses only environment variables and files
/// (https://cloud.google.com/docs/authentication/application-default-credentials). If nothing else is found, the metadata
/// server remains; ``TokenProvider`` determines whether it exists.
package struct CredentialDiscovery: Sendable {
  /// Reads a file; returns nil if it does not exist, and throws a ``Failure`` if it cannot be read.
  package typealias FileReader = @Sendable (_ path: String) throws(Failure) -> [UInt8]?

  static let remedy =
    "Use a service account key, or sign in with `gcloud auth application-default login`."
  /// gcloud's variable for the address of the IAM Service Account Credentials API.
  private static let impersonationEndpoint = "CLOUDSDK_API_ENDPOINT_OVERRIDES_IAMCREDENTIALS"

  private let environment: [String: String]
  private let readFile: FileReader

  package init(environment: [String: String], readFile: @escaping FileReader = readFile(at:)) {
    self.environment = environment
    self.readFile = readFile
  }

  /// Returns the credentials to use.
  ///
  /// - Parameters:
  ///   - explicitFile: The file of `--credentials` or the configuration; it overrides the environment.
  ///   - accessTokenFile: The file of `--access-token-file`.
  ///   - impersonated: The service account to impersonate with the credentials that are found.
  package func resolve(
    explicitFile: String? = nil,
    accessTokenFile: String? = nil,
    impersonating impersonated: ServiceAccountChain? = nil
  ) throws(Failure) -> Credentials {
    if explicitFile != nil, accessTokenFile != nil {
      throw Failure(
        .usage,
        "choose the credentials",
        cause: "a credential file and an access token file are both given",
        remedy: "Give one of them."
      )
    }
    let found = try found(explicitFile: explicitFile, accessTokenFile: accessTokenFile)
    guard let impersonated else { return found }
    return Credentials(
      .impersonated(ImpersonatedAccount(impersonated, source: found, endpoint: try impersonationEndpoint())),
      quotaProject: found.quotaProject
    )
  }

  /// Scheme, host and port of the service that issues tokens for other accounts.
  private func impersonationEndpoint() throws(Failure) -> String {
    guard let text = variable(Self.impersonationEndpoint) else { return ImpersonatedAccount.defaultEndpoint }
    if CredentialURL.isConfidential(text), let endpoint = try? Configuration.checkedEndpoint(text) {
      return endpoint
    }
    throw Failure(
      .configuration,
      "use \(Self.impersonationEndpoint)",
      path: text,
      cause: "it is neither an https URL nor one of this machine, without a path"
    )
  }

  private func found(explicitFile: String?, accessTokenFile: String?) throws(Failure) -> Credentials {
    let payer = try quotaProject(variable("GOOGLE_CLOUD_QUOTA_PROJECT"), from: "GOOGLE_CLOUD_QUOTA_PROJECT")
    if let accessTokenFile {
      return Credentials(.accessTokenFile(AccessTokenFile(path: accessTokenFile)), quotaProject: payer)
    }
    if let explicitFile {
      return try credentials(at: explicitFile, payer: payer, missing: "Give the path of an existing file.")
    }
    if let path = variable("GOOGLE_APPLICATION_CREDENTIALS") {
      return try credentials(
        at: path,
        payer: payer,
        missing: "It comes from GOOGLE_APPLICATION_CREDENTIALS: set that to a key file, or unset it."
      )
    }
    if let path = wellKnownPath, let bytes = try readFile(path) {
      return try credentials(in: CredentialFile(bytes, path: path), payer: payer)
    }
    if variable("NO_GCE_CHECK")?.lowercased() == "true" { throw Self.nothingFound }
    let host = variable("GCE_METADATA_HOST") ?? variable("GCE_METADATA_ROOT") ?? MetadataServer.defaultHost
    guard AccessToken.isHeaderSafe(host.utf8), !host.utf8.contains(UInt8(ascii: "/")) else {
      throw Failure(
        .configuration,
        "find the metadata server",
        path: "GCE_METADATA_HOST",
        cause: "it is not host or host:port"
      )
    }
    return Credentials(.metadataServer(MetadataServer(host: host)), quotaProject: payer)
  }

  /// The `host:port` of `FIRESTORE_EMULATOR_HOST` without an accidental scheme; nil if unset.
  package var emulatorHost: String? {
    guard let text = variable("FIRESTORE_EMULATOR_HOST") else { return nil }
    var host = Substring(text)
    if host.utf8.starts(with: "http://".utf8) { host = Substring(host.utf8.dropFirst(7)) }
    while host.utf8.last == UInt8(ascii: "/") { host = Substring(host.utf8.dropLast()) }
    return host.isEmpty ? nil : String(host)
  }

  /// The path of gcloud's application-default credentials.
  private var wellKnownPath: String? {
    let name = "application_default_credentials.json"
    if let folder = variable("CLOUDSDK_CONFIG") { return "\(folder)/\(name)" }
    return variable("HOME").map { "\($0)/.config/gcloud/\(name)" }
  }

  static let nothingFound = Failure(
    .configuration,
    "find credentials",
    cause:
      "GOOGLE_APPLICATION_CREDENTIALS is not set, gcloud has no credentials, and this machine is not in Google's cloud",
    remedy: "\(remedy) For an emulator, set FIRESTORE_EMULATOR_HOST."
  )

  private func variable(_ name: String) -> String? {
    environment[name].flatMap { $0.isEmpty ? nil : $0 }
  }

  private func credentials(at path: String, payer: String?, missing: String) throws(Failure) -> Credentials {
    guard let bytes = try readFile(path) else {
      throw CredentialFile.malformed(path, "there is no such file", remedy: missing)
    }
    return try credentials(in: CredentialFile(bytes, path: path), payer: payer)
  }

  private func credentials(in file: CredentialFile, payer: String?) throws(Failure) -> Credentials {
    let own = try quotaProject(file["quota_project_id"], from: file.path)
    let payer = payer ?? own
    switch file["type"] {
    case "service_account": return Credentials(.serviceAccount(try ServiceAccount(file)), quotaProject: payer)
    case "authorized_user": return Credentials(.authorizedUser(try AuthorizedUser(file)), quotaProject: payer)
    case "external_account":
      let account = try ExternalAccount(file, environment: environment)
      let federated = Credentials(.externalAccount(account), quotaProject: payer)
      guard file.has("service_account_impersonation_url") else { return federated }
      return Credentials(.impersonated(try ImpersonatedAccount(file, source: federated)), quotaProject: payer)
    case "impersonated_service_account":
      guard let source = try file.object("source_credentials") else {
        throw file.malformed("it has no 'source_credentials'")
      }
      if source["type"]?.isIdentical(to: "impersonated_service_account") ?? false {
        throw source.malformed(
          "its 'type' is impersonated_service_account once more; name 'delegates' instead"
        )
      }
      let account = try ImpersonatedAccount(file, source: try credentials(in: source, payer: nil))
      return Credentials(.impersonated(account), quotaProject: payer)
    case let type? where Self.unsupportedTypes.contains(type):
      throw file.malformed("credentials of the type \(type) are not supported")
    case .some: throw file.malformed("its 'type' is unknown")
    case nil: throw file.malformed("it has no 'type'")
    }
  }

  /// Types that Google defines but this program does not support, and an OAuth client's file, which people confuse with
  /// them.
  private static let unsupportedTypes: Set<String> = [
    "external_account_authorized_user", "gdch_service_account", "OAuth client ID",
  ]

  private func quotaProject(_ project: String?, from source: String) throws(Failure) -> String? {
    guard let project else { return nil }
    if AccessToken.isHeaderSafe(project.utf8) { return project }
    throw Failure(.configuration, "read the quota project", path: source, cause: "it is not a project ID")
  }

  /// Reads a credentials file; see ``readFile(at:to:patience:)``.
  package static func readFile(at path: String) throws(Failure) -> [UInt8]? {
    try readFile(at: path, to: "read the credentials")
  }

  /// Reads a file of at most 1 MiB, such as credentials or a configuration.
  ///
  /// - Parameters:
  ///   - operation: The operation, for errors.
  ///   - patience: How long to wait for a pipe to which nobody writes, in milliseconds.
  /// - Returns: Nil if nothing has its name.
  /// - Throws: `.configuration` if it exists but cannot be read, or is larger; also for a symbolic link to nothing.
  package static func readFile(
    at path: String,
    to operation: String,
    patience: Int32 = 10_000
  ) throws(Failure) -> [UInt8]? {
    let (descriptor, _, error) = SystemCall.openToRead(path)
    if descriptor < 0 {
      if FileCheck.isMissing(path) { return nil }
      throw unreadable(path, error, operation)
    }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let (count, error, isStopped) = chunk.withUnsafeMutableBytes {
        SystemCall.readUnlessStopped(descriptor, into: $0, within: patience)
      }
      if isStopped { throw Failure.stopped("read", path) }
      if error == ETIMEDOUT {
        throw Failure(
          .configuration,
          operation,
          path: path,
          cause: "it is a pipe, and nobody wrote to it for \(patience / 1000) s"
        )
      }
      if error != 0 { throw unreadable(path, error, operation) }
      bytes.append(contentsOf: chunk[..<count])
      if bytes.count > 1 << 20 {
        throw Failure(.configuration, operation, path: path, cause: "it is larger than 1 MiB")
      }
      if count == 0 { return bytes }
    }
  }

  private static func unreadable(_ path: String, _ code: Int32, _ operation: String) -> Failure {
    let isLink = code == ENOENT
    return Failure(
      .configuration,
      operation,
      path: path,
      cause: isLink ? "a symbolic link leads to nothing" : SystemCall.text(code),
      remedy: isLink ? "Correct the link, or remove it." : "Make it readable for this user."
    )
  }
}
