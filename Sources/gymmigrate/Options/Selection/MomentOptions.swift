import Configuration

/// The option for the time at which documents are read.
struct MomentOptions: ParsableArguments {
  @Option(help: "The moment to read at: a time, now, or none.", as: TypedValue.readTime)
  var readTime: ReadTimeChoice?
}

/// An environment with an optional time to read it at: `prod`, or `prod@2026-01-31T12:00:00Z`.
struct EnvironmentMoment {
  let name: String
  /// The time; nil if none is given.
  let moment: Timestamp?

  var isMirror: Bool { name.hasPrefix(DatabaseEnvironment.mirrorPrefix) }

  /// Parses a word of the command line that may name an environment.
  ///
  /// - Parameter known: The names of environments.
  /// - Returns: nil if it names none of them.
  /// - Throws: `ValidationError` that names the option, for an invalid time.
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
    guard let moment = Timestamp(time) else {
      throw ValidationError("\(option): '\(time)' is no moment; give a time as 2026-01-31T12:00:00Z.")
    }
    (self.name, self.moment) = (name, moment)
  }

  /// Returns how to read it: at its time, or else as another option says, which must not be combined with it.
  ///
  /// - Throws: `ValidationError` if both give a time.
  func choice(_ option: ReadTimeChoice?) throws -> ReadTimeChoice {
    guard let moment else { return option ?? .pinned }
    if option != nil { throw ValidationError("Give --read-time or \(name)@TIME, not both.") }
    return .at(moment)
  }
}
