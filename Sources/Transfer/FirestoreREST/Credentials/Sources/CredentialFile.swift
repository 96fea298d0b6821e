import FirestoreModels

/// The members of a credential file.
///
/// Errors name members, never their values.
struct CredentialFile {
  /// The path.
  let path: String
  private let members: [String: String]

  /// Reads the string members of a JSON object.
  init(_ bytes: [UInt8], path: String) throws(Failure) {
    self.path = path
    do throws(WireError) {
      members = try JSONParser(maximumBytes: 1 << 20, maximumDepth: 32).parse(bytes) {
        root throws(WireError) in
        guard root.kind == .object else { throw WireError("it is not a JSON object") }
        var members: [String: String] = [:]
        for (name, value) in root.members {
          if let text = value.string { members[name.string] = text }
          // The Google console offers these files beside credentials, and people confuse them.
          if name == "installed" || name == "web" { members["type"] = members["type"] ?? "OAuth client ID" }
        }
        return members
      }
    } catch {
      throw Failure(
        .configuration,
        "read the credentials",
        path: path,
        cause: error.description,
        remedy: CredentialDiscovery.remedy
      )
    }
  }

  /// Returns a string; nil if it is missing or empty.
  subscript(name: String) -> String? {
    members[name].flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Returns the required strings.
  func require(_ names: String...) throws(Failure) -> [String] {
    var texts: [String] = []
    var missing: [String] = []
    for name in names {
      if let text = self[name] { texts.append(text) } else { missing.append("'\(name)'") }
    }
    if missing.isEmpty { return texts }
    throw malformed("it has no \(missing.joined(separator: ", "))")
  }

  /// An error in the file.
  func malformed(_ cause: String) -> Failure {
    Failure(
      .configuration,
      "read the credentials",
      path: path,
      cause: cause,
      remedy: CredentialDiscovery.remedy
    )
  }
}
