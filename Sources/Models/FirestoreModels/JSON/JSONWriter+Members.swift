/// Members of small records, each a name that needs no escaping and a value; a member without a value is left out.
///
///     json.object {
///       $0.member("path", path.string)
///       $0.member("updateTime", updateTime)
///     }
extension JSONWriter {
  /// Writes a member with a string.
  package mutating func member(_ name: StaticString, _ text: String?) {
    guard let text else { return }
    key(name)
    string(text)
  }

  /// Writes a member with an integer.
  package mutating func member(_ name: StaticString, _ number: (some BinaryInteger)?) {
    guard let number else { return }
    key(name)
    integer(number)
  }

  /// Writes a member with a number.
  package mutating func member(_ name: StaticString, _ number: Double) {
    key(name)
    double(number)
  }

  /// Writes a member with `true` or `false`.
  package mutating func member(_ name: StaticString, _ truth: Bool) {
    key(name)
    boolean(truth)
  }

  /// Writes a member with a timestamp.
  package mutating func member(_ name: StaticString, _ time: Timestamp?) {
    guard let time else { return }
    key(name)
    timestamp(time)
  }
}
