/// How the text of an option becomes its value, and what the help calls such a value.
struct ValueReader<Value>: Sendable {
  /// The name in the help, unless that of an option has another; nil for the name of the option.
  var name: String?
  /// What a shell offers.
  var completion: CompletionKind?
  /// Reads a text, or throws a `ValidationError` that says what is expected.
  let read: @Sendable (String) throws -> Value

  /// Returns this reader with another name in the help.
  func named(_ name: String) -> ValueReader {
    ValueReader(name: name, completion: completion, read: read)
  }
}

extension ValueReader {
  /// A reader of texts that are values or not.
  init(_ name: String? = nil, expecting what: String, _ value: @escaping @Sendable (String) -> Value?) {
    self.init(name: name) { try value($0).orExpecting(what) }
  }
}

extension Option {
  /// A value that is required.
  init(
    name: NameSpecification = .long,
    parsing: SingleValueParsingStrategy = .next,
    help: ArgumentHelp,
    as reader: ValueReader<Value>
  ) {
    self.init(
      name: name,
      parsing: parsing,
      help: help.valued(reader.name),
      completion: reader.completion,
      transform: reader.read
    )
  }

  /// A value with a default.
  init(
    wrappedValue: Value,
    name: NameSpecification = .long,
    parsing: SingleValueParsingStrategy = .next,
    help: ArgumentHelp,
    as reader: ValueReader<Value>
  ) {
    self.init(
      wrappedValue: wrappedValue,
      name: name,
      parsing: parsing,
      help: help.valued(reader.name),
      transform: reader.read
    )
  }

  /// A value; nil if not given.
  init<T>(
    name: NameSpecification = .long,
    parsing: SingleValueParsingStrategy = .next,
    help: ArgumentHelp,
    as reader: ValueReader<T>
  ) where Value == T? {
    self.init(
      name: name,
      parsing: parsing,
      help: help.valued(reader.name),
      completion: reader.completion,
      transform: reader.read
    )
  }

  /// Values; the option may be given several times.
  init<T>(
    wrappedValue: [T],
    name: NameSpecification = .long,
    parsing: ArrayParsingStrategy = .singleValue,
    help: ArgumentHelp,
    as reader: ValueReader<T>
  ) where Value == [T] {
    self.init(
      wrappedValue: wrappedValue,
      name: name,
      parsing: parsing,
      help: help.valued(reader.name),
      transform: reader.read
    )
  }
}

extension ArgumentHelp {
  /// Returns this help with a name for the value, unless it has one.
  fileprivate func valued(_ name: String?) -> ArgumentHelp {
    var help = self
    help.valueName = help.valueName ?? name
    return help
  }
}
