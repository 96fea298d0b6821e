import MigrationEngine

/// The steps of a fix, as flags.
struct StepOptions: ParsableArguments {
  @Option(help: "Move a field to another name.", as: TypedValue.text("field=field"))
  var rename: [String] = []

  @Option(help: "Copy a field to another one.", as: TypedValue.text("field=field"))
  var copy: [String] = []

  @Option(
    help: "Convert a value exactly: to string, integer, double, boolean or timestamp.",
    as: TypedValue.text("field=type")
  )
  var convert: [String] = []

  @Option(help: "Remove white space at the ends of a text.", as: TypedValue.text("field"))
  var trim: [String] = []

  @Option(help: "Write a text in lower case.", as: TypedValue.text("field"))
  var lower: [String] = []

  @Option(help: "Keep only the digits of a phone.", as: TypedValue.text("field"))
  var digits: [String] = []

  @Option(help: "Set a field where it is absent, null or blank.", as: TypedValue.text("field=value"))
  var setIfMissing: [String] = []

  @Option(help: "Set a field.", as: TypedValue.text("field=value"))
  var set: [String] = []

  @Option(help: "Remove a field.", as: TypedValue.text("field"))
  var unset: [String] = []

  @Option(
    help: "Let a program decide, as 'python3 fix.py', and nothing else; no shell reads it (docs/fix.md).",
    as: TypedValue.text("words")
  )
  var run: String?

  @Option(help: ArgumentHelp("How it gets documents: rest, or plain JSON.", valueName: "style"))
  var runStyle: ProgramCall.Style?

  @Option(
    help: ArgumentHelp(
      "What is done about a value that cannot be converted: reject, skip, null or keep.",
      valueName: "what"
    )
  )
  var onFailure = MigrationStep.FailurePolicy.reject

  @Option(
    help: ArgumentHelp(
      "What numbers count, to or from timestamps: seconds, milliseconds or microseconds.",
      valueName: "unit"
    )
  )
  var unit: ValueConversion.TimeUnit?

  @Flag(help: "Let --rename and --copy overwrite the target field.")
  var overwrite = false

  @Flag(
    inversion: .prefixedNo,
    help:
      "Let the server set the update time of documents that change, where the schema has one for their collection."
  )
  var touch = true

  var settings: FixSteps {
    var steps = FixSteps()
    (steps.rename, steps.copy, steps.convert) = (rename, copy, convert)
    (steps.trim, steps.lower, steps.digits) = (trim, lower, digits)
    (steps.setIfMissing, steps.set, steps.unset) = (setIfMissing, set, unset)
    (steps.run, steps.runStyle) = (run, runStyle)
    (steps.onFailure, steps.unit, steps.overwrite, steps.touch) = (onFailure, unit, overwrite, touch)
    return steps
  }

  func validate() throws {
    let steps = try settings.steps(in: LiteralContext(database: nil))
    if steps.isEmpty {
      throw ValidationError("Say what is to be done: --set, --unset, --rename, or another.")
    }
    if let problem = DeclarativeMigration.problem(of: steps) { throw ValidationError("\(problem.cause).") }
  }

}

extension FixSteps {
  /// Returns the steps in the order in which they are applied, which is that of the flags above.
  func steps(in context: LiteralContext) throws -> [MigrationStep] {
    var steps: [MigrationStep] = []
    for text in rename {
      let (from, to) = try Self.parts(text, "--rename", "FIELD=FIELD")
      steps.append(.move(from, to: try Self.field(to, "--rename"), overwrite: overwrite))
    }
    for text in copy {
      let (from, to) = try Self.parts(text, "--copy", "FIELD=FIELD")
      steps.append(.copy(from, to: try Self.field(to, "--copy"), overwrite: overwrite))
    }
    for text in convert {
      let (field, name) = try Self.parts(text, "--convert", "FIELD=TYPE")
      guard let target = ValueConversion.Target(rawValue: name) else {
        let known = ValueConversion.Target.allCases.map(\.rawValue).joined(separator: ", ")
        throw ValidationError("--convert: '\(name)' is no type; it is one of \(known).")
      }
      steps.append(.convert(field, ValueConversion(to: target, unit: unit), onFailure: onFailure))
    }
    for text in trim { steps.append(.rewrite(try Self.field(text, "--trim"), .trim)) }
    for text in lower { steps.append(.rewrite(try Self.field(text, "--lower"), .lower)) }
    for text in digits { steps.append(.rewrite(try Self.field(text, "--digits"), .digits)) }
    for text in setIfMissing {
      let (field, value) = try Self.parts(text, "--set-if-missing", "FIELD=VALUE")
      steps.append(.setIfMissing(field, try Self.value(value, "--set-if-missing", context)))
    }
    var known: Set<FieldPath> = []
    for text in set {
      let (field, value) = try Self.parts(text, "--set", "FIELD=VALUE")
      guard known.insert(field).inserted else { throw ValidationError("--set: '\(field)' is given twice.") }
      steps.append(.set(field, try Self.value(value, "--set", context)))
    }
    for text in unset { steps.append(.unset(try Self.field(text, "--unset"))) }
    if let run { steps.append(.run(try program(run, context))) }
    return steps
  }

  private func program(_ text: String, _ context: LiteralContext) throws -> ProgramCall {
    guard let words = CommandWords.split(text), ProgramCall.problem(of: words) == nil else {
      throw ValidationError("--run: it is no program with its arguments, as 'python3 fix.py'.")
    }
    return try ProgramCall(words, in: ".", database: context.database, style: runStyle ?? .rest)
  }

  /// Splits a text into the field and what follows the first equals sign outside back quotes.
  private static func parts(
    _ text: String,
    _ flag: String,
    _ form: String
  ) throws -> (field: FieldPath, rest: String) {
    let parts = FieldPath.parts(of: text, between: UInt8(ascii: "="), atMost: 1)
    guard parts.count == 2 else { throw ValidationError("\(flag): '\(text)' is not \(form).") }
    return (try field(parts[0], flag), parts[1])
  }

  private static func field(_ text: String, _ flag: String) throws -> FieldPath {
    try TypedValue.naming(flag) { try DeclarativeMigration.field(parsing: text) }
  }

  private static func value(_ text: String, _ flag: String, _ context: LiteralContext) throws -> Value {
    try TypedValue.naming(flag) { try ValueLiteral.parse(text, in: context).asStored }
  }
}

/// Options that limit a program that decides on documents.
struct ProgramOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("The time that a program may take for each answer.", valueName: "seconds"),
    from: 1,
    to: 3600
  )
  var programTimeout = 10

  @Option(
    help: "Processes of a program that decide side by side.",
    from: 1,
    to: ProgramSettings.maximumProcesses
  )
  var processes = 1

  @Flag(help: "Do not ask a program twice about the first 1000 documents.")
  var allowNondeterministic = false

  var settings: ProgramSettings {
    var settings = ProgramSettings()
    (settings.timeout, settings.processes) = (programTimeout, processes)
    settings.allowsNondeterminism = allowNondeterministic
    return settings
  }
}

/// The option to change documents that the schema declares immutable.
struct ImmutabilityOptions: ParsableArguments {
  @Flag(
    help: "Change documents, too, that the schema declares immutable; otherwise they are listed and left."
  )
  var allowImmutable = false
}
