import Configuration

/// The moment at which documents are read.
struct MomentOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("The moment to read at: a time, now, or none.", valueName: "time"),
    transform: TypedValue.readTime
  )
  var readTime: ReadTimeChoice?
}

/// An environment as it is named where databases are read, with the moment to read it at: `prod`, or
/// `prod@2026-01-31T12:00:00Z`.
struct EnvironmentMoment {
  let name: String
  /// The moment; nil where none is named.
  let moment: Timestamp?

  var isMirror: Bool { name.hasPrefix(DatabaseEnvironment.mirrorPrefix) }

  /// Parses what a command line names, for which there may be an environment.
  ///
  /// - Parameter known: The names of environments.
  /// - Returns: nil where it names none of them.
  /// - Throws: `ValidationError` for a moment that is none.
  init?(_ text: String, among known: [String], of option: String) throws {
    func isKnown(_ name: String) -> Bool {
      known.contains { $0.isIdentical(to: name) } || name.hasPrefix(DatabaseEnvironment.mirrorPrefix)
    }
    if isKnown(text) {
      (name, moment) = (text, nil)
      return
    }
    guard let at = text.utf8.lastIndex(of: UInt8(ascii: "@")) else { return nil }
    let (name, time) = (String(text[..<at]), String(text[text.utf8.index(after: at)...]))
    guard isKnown(name) else { return nil }
    self.name = name
    moment = try Self.moment(time, of: option)
  }

  /// - Throws: `ValidationError` that names the option and the text.
  private static func moment(_ text: String, of option: String) throws -> Timestamp {
    guard let moment = Timestamp(text) else {
      throw ValidationError("\(option): '\(text)' is no moment; give a time as 2026-01-31T12:00:00Z.")
    }
    return moment
  }

  /// How it is read: at its moment, else as another option says, which it excludes.
  ///
  /// - Throws: `ValidationError` where both say when.
  func choice(_ option: ReadTimeChoice?) throws -> ReadTimeChoice {
    guard let moment else { return option ?? .pinned }
    if option != nil { throw ValidationError("Give --read-time or \(name)@TIME, not both.") }
    return .at(moment)
  }
}
