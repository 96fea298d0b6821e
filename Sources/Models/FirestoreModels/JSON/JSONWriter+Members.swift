/// Writes members whose names need no escaping; a member without a value is omitted.
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

  /// Writes a member with an object.
  package mutating func member(_ name: StaticString, object members: (inout JSONWriter) -> Void) {
    key(name)
    object(members)
  }

  /// Writes a member with an array that has an object for each element.
  package mutating func member<Element>(
    _ name: StaticString,
    objects elements: some Sequence<Element>,
    _ members: (inout JSONWriter, Element) -> Void
  ) {
    key(name)
    array { list in list.objects(elements, members) }
  }

  /// Writes one object per element, as elements of an array.
  package mutating func objects<Element>(
    _ elements: some Sequence<Element>,
    _ members: (inout JSONWriter, Element) -> Void
  ) {
    for element in elements { object { members(&$0, element) } }
  }

  /// Writes a member with an array of strings.
  package mutating func member(_ name: StaticString, strings: some Sequence<String>) {
    key(name)
    array { list in for string in strings { list.string(string) } }
  }
}
