/// The members of a credential file, or of an object in it.
///
/// Errors name members, never their values.
struct CredentialFile {
  private indirect enum Member {
    case text(String)
    case integer(Int64)
    case texts([String])
    case object([String: Member])
    case other
  }

  let path: String
  /// The name of the member that contains this object; nil for the file itself.
  private let name: String?
  private let members: [String: Member]

  /// Reads the JSON object in a file.
  init(_ bytes: [UInt8], path: String) throws(Failure) {
    self.path = path
    name = nil
    do throws(WireError) {
      members = try TokenEndpoint.parse(bytes) { root throws(WireError) in
        var members = Self.members(of: root)
        // The Google console offers these files along with credentials, and people confuse them.
        if members["type"] == nil, members["installed"] != nil || members["web"] != nil {
          members["type"] = .text("OAuth client ID")
        }
        return members
      }
    } catch {
      throw Self.malformed(path, error.description)
    }
  }

  private init(path: String, name: String, members: [String: Member]) {
    self.path = path
    self.name = name
    self.members = members
  }

  /// Null counts as missing.
  private static func members(of object: JSONCursor) -> [String: Member] {
    var members: [String: Member] = [:]
    for (name, value) in object.members { members[name.string] = value.isNull ? nil : member(value) }
    return members
  }

  private static func member(_ value: JSONCursor) -> Member {
    switch value.kind {
    case .string: return .text(value.string ?? "")
    case .integer: return value.integer.map { .integer($0) } ?? .other
    case .object: return .object(members(of: value))
    case .array:
      let texts = value.elements.map(\.string)
      return texts.contains(nil) ? .other : .texts(texts.compactMap(\.self))
    case .double, .boolean, .null: return .other
    }
  }

  /// Whether there is a member, of any type.
  func has(_ name: String) -> Bool { members[name] != nil }

  /// Returns a string; nil if it is missing or empty.
  subscript(name: String) -> String? {
    if case .text(let text)? = members[name], !text.isEmpty { text } else { nil }
  }

  /// Returns an integer; nil if it is missing.
  func integer(_ name: String) throws(Failure) -> Int64? {
    switch members[name] {
    case nil: return nil
    case .integer(let number)?: return number
    case .some: throw malformed("its '\(name)' is not an integer")
    }
  }

  /// Returns a list of strings; empty if it is missing.
  func texts(_ name: String) throws(Failure) -> [String] {
    switch members[name] {
    case nil: return []
    case .texts(let texts)?: return texts
    case .some: throw malformed("its '\(name)' is not a list of strings")
    }
  }

  /// Returns the names and strings of an object, in the order of their names; empty if it is missing.
  func texts(of name: String) throws(Failure) -> [(name: String, text: String)] {
    guard let object = try object(name) else { return [] }
    var pairs: [(name: String, text: String)] = []
    for (name, member) in object.members {
      guard case .text(let text) = member else { throw object.malformed("its '\(name)' is not a string") }
      pairs.append((name, text))
    }
    return pairs.sorted { $0.name.compareUTF8($1.name) < 0 }
  }

  /// Returns an object; nil if it is missing.
  func object(_ name: String) throws(Failure) -> CredentialFile? {
    switch members[name] {
    case nil: return nil
    case .object(let members)?: return CredentialFile(path: path, name: name, members: members)
    case .some: throw malformed("its '\(name)' is not an object")
    }
  }

  /// Returns the required strings.
  func require(_ names: String...) throws(Failure) -> [String] {
    let missing = names.filter { self[$0] == nil }.map { "'\($0)'" }
    if missing.isEmpty { return names.compactMap { self[$0] } }
    throw malformed("it has no \(missing.joined(separator: ", "))")
  }

  /// Returns the failure for an error in the file.
  ///
  /// - Parameter cause: A clause about "it", which refers to the object if this is one in the file.
  func malformed(_ cause: String, remedy: String = CredentialDiscovery.remedy) -> Failure {
    Self.malformed(path, name.map { "in '\($0)', \(cause)" } ?? cause, remedy: remedy)
  }

  /// Returns the failure for an error that concerns the whole file.
  static func malformed(
    _ path: String,
    _ cause: String,
    remedy: String = CredentialDiscovery.remedy
  ) -> Failure {
    Failure(.configuration, "read the credentials", path: path, cause: cause, remedy: remedy)
  }
}
