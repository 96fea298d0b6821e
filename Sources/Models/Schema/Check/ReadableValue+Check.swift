/// Calls `body`, which reads only values in memory and therefore never throws.
func inMemory<Result>(_ body: () throws(WireError) -> Result) -> Result {
  do throws(WireError) {
    return try body()
  } catch {
    preconditionFailure("a value in memory is invalid: \(error)")
  }
}

extension ReadableFields {
  /// Returns the value at a path through nested maps; nil if there is none.
  func content(at path: ArraySlice<String>) throws(WireError) -> Content? {
    guard let first = path.first, let value = content(named: first) else { return nil }
    return path.count == 1 ? value : try value.content(at: path.dropFirst())
  }
}

extension ReadableValue {
  /// Returns the value at a path inside this one, if it is a map; nil if there is none.
  func content(at path: ArraySlice<String>) throws(WireError) -> Self? {
    guard isMap, case .map(let members) = try view() else { return nil }
    return try members.content(at: path)
  }
}

extension ReadableText {
  /// Compares the UTF-8 bytes; 0 if they are equal.
  func compare(with other: String) -> Int { withBytes { -other.compareUTF8($0) } }

  /// Whether the text is blank, as defined by ``PlainText``.
  var isBlank: Bool {
    let isPlain = withBytes { $0.first.map { (0x21...0x7E).contains($0) } ?? false }
    return !isPlain && PlainText.isBlank(copy)
  }
}

extension ValueView {
  var isNull: Bool { if case .null = self { true } else { false } }
}
