import Files
package import FirestoreModels
import Platform

/// Finds the credentials that a run signs with, in the order of Google's Application Default Credentials
/// (https://cloud.google.com/docs/authentication/application-default-credentials).
///
/// It decides by the environment and the files that it is handed and asks no network: where nothing else is found,
/// the metadata server remains, and ``TokenProvider`` finds out whether there is one.
package struct CredentialDiscovery: Sendable {
  /// Reads a whole file: nil where there is none, a ``Failure`` where it cannot be read.
  package typealias FileReader = @Sendable (_ path: String) throws(Failure) -> [UInt8]?

  static let remedy =
    "Use a service account key, or sign in with `gcloud auth application-default login`."

  private let environment: [String: String]
  private let readFile: FileReader

  /// Makes a discovery over environment variables and a way to read files.
  package init(environment: [String: String], readFile: @escaping FileReader = readFile(at:)) {
    self.environment = environment
    self.readFile = readFile
  }

  /// The credentials to use.
  ///
  /// - Parameters:
  ///   - explicitFile: `--credentials` or the configuration's; comes before the environment's.
  ///   - accessTokenFile: `--access-token-file`.
  ///   - emulatorHost: The emulator that is spoken to; its owner signs and nothing else is looked for.
  package func resolve(
    explicitFile: String? = nil,
    accessTokenFile: String? = nil,
    emulatorHost: String? = nil
  ) throws(Failure) -> Credentials {
    if explicitFile != nil, accessTokenFile != nil {
      throw Failure(
        .usage,
        "choose the credentials",
        cause: "a credential file and an access token file are both given",
        remedy: "Give one of them."
      )
    }
    if emulatorHost != nil { return Credentials(.emulatorOwner) }
    let payer = try quotaProject(variable("GOOGLE_CLOUD_QUOTA_PROJECT"), from: "GOOGLE_CLOUD_QUOTA_PROJECT")
    if let accessTokenFile {
      return Credentials(.accessTokenFile(AccessTokenFile(path: accessTokenFile)), quotaProject: payer)
    }
    if let explicitFile {
      return try credentials(at: explicitFile, payer: payer, missing: "Name a file that is there.")
    }
    if let path = variable("GOOGLE_APPLICATION_CREDENTIALS") {
      return try credentials(
        at: path,
        payer: payer,
        missing: "GOOGLE_APPLICATION_CREDENTIALS names it: point it to a key file, or unset it."
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

  /// The project to use where none is named: the environment's, else that of the credentials.
  package func project(of credentials: Credentials?) -> String? {
    variable("GOOGLE_CLOUD_PROJECT") ?? variable("GCLOUD_PROJECT") ?? credentials?.project
  }

  /// `host:port` of `FIRESTORE_EMULATOR_HOST`, without a scheme that was written by mistake; nil where it is unset.
  package var emulatorHost: String? {
    guard let text = variable("FIRESTORE_EMULATOR_HOST") else { return nil }
    var host = Substring(text)
    if host.utf8.starts(with: "http://".utf8) { host = Substring(host.utf8.dropFirst(7)) }
    while host.utf8.last == UInt8(ascii: "/") { host = Substring(host.utf8.dropLast()) }
    return host.isEmpty ? nil : String(host)
  }

  /// Where gcloud keeps application-default credentials.
  private var wellKnownPath: String? {
    let name = "application_default_credentials.json"
    if let folder = variable("CLOUDSDK_CONFIG") { return "\(folder)/\(name)" }
    return variable("HOME").map { "\($0)/.config/gcloud/\(name)" }
  }

  static let nothingFound = Failure(
    .configuration,
    "find credentials",
    cause:
      "GOOGLE_APPLICATION_CREDENTIALS is not set, gcloud has none, and this machine is not in Google's cloud",
    remedy: "\(remedy) For an emulator, set FIRESTORE_EMULATOR_HOST."
  )

  private func variable(_ name: String) -> String? {
    environment[name].flatMap { $0.isEmpty ? nil : $0 }
  }

  private func credentials(at path: String, payer: String?, missing: String) throws(Failure) -> Credentials {
    guard let bytes = try readFile(path) else {
      throw Failure(
        .configuration,
        "read the credentials",
        path: path,
        cause: "there is no such file",
        remedy: missing
      )
    }
    return try credentials(in: CredentialFile(bytes, path: path), payer: payer)
  }

  private func credentials(in file: CredentialFile, payer: String?) throws(Failure) -> Credentials {
    let own = try quotaProject(file["quota_project_id"], from: file.path)
    let payer = payer ?? own
    switch file["type"] {
    case "service_account": return Credentials(.serviceAccount(try ServiceAccount(file)), quotaProject: payer)
    case "authorized_user": return Credentials(.authorizedUser(try AuthorizedUser(file)), quotaProject: payer)
    case let type? where Self.unsupportedTypes.contains(type):
      throw file.malformed("credentials of the type \(type) are not supported")
    case .some: throw file.malformed("its 'type' is not known")
    case nil: throw file.malformed("it has no 'type'")
    }
  }

  /// Types that Google knows and this program does not support, and a client's file that is often taken for one.
  private static let unsupportedTypes: Set<String> = [
    "external_account", "external_account_authorized_user", "impersonated_service_account",
    "gdch_service_account",
    "OAuth client ID",
  ]

  private func quotaProject(_ project: String?, from source: String) throws(Failure) -> String? {
    guard let project else { return nil }
    if AccessToken.isHeaderSafe(project.utf8) { return project }
    throw Failure(
      .configuration,
      "read the quota project",
      path: source,
      cause: "it is not the id of a project"
    )
  }

  /// Reads a file of credentials: as ``readFile(at:to:)``.
  package static func readFile(at path: String) throws(Failure) -> [UInt8]? {
    try readFile(at: path, to: "read the credentials")
  }

  /// Reads a file of this machine, of at most 1 MiB: credentials and configurations are small.
  ///
  /// - Parameter operation: What it is read for, for errors.
  /// - Throws: `.configuration` where it is there and cannot be read, or is larger.
  package static func readFile(at path: String, to operation: String) throws(Failure) -> [UInt8]? {
    let (descriptor, _, error) = SystemCall.openToRead(path)
    if descriptor < 0 {
      if error == ENOENT || error == ENOTDIR { return nil }
      throw unreadable(path, error, operation)
    }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let (count, error, isStopped) = chunk.withUnsafeMutableBytes {
        SystemCall.readUnlessStopped(descriptor, into: $0)
      }
      if isStopped { throw Failure.stopped("read", path) }
      if error != 0 { throw unreadable(path, error, operation) }
      bytes.append(contentsOf: chunk[..<count])
      if bytes.count > 1 << 20 {
        throw Failure(.configuration, operation, path: path, cause: "it is larger than 1 MiB")
      }
      if count == 0 { return bytes }
    }
  }

  private static func unreadable(_ path: String, _ code: Int32, _ operation: String) -> Failure {
    Failure(
      .configuration,
      operation,
      path: path,
      cause: String(cString: strerror(code)),
      remedy: "Let this user read it."
    )
  }
}
