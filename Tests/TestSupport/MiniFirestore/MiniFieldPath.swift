/// A field path of a mask, a transform, a filter: simple names joined by dots, any other name in back quotes.
struct MiniFieldPath: Sendable, Hashable {
  let names: [ByteString]

  /// Whether this is `__name__`, the name of the document.
  var isName: Bool { names == ["__name__"] }

  init(_ text: ByteString, allowsReserved: Bool = false) throws {
    var names: [ByteString] = []
    var rest = text.bytes[...]
    let malformed = ServiceError.invalidArgument("Invalid property path \"\(text)\".")
    guard text.bytes.count <= 1500 else { throw malformed }
    while true {
      var name: [UInt8] = []
      if rest.first == UInt8(ascii: "`") {
        rest.removeFirst()
        while let byte = rest.popFirst(), byte != UInt8(ascii: "`") {
          guard byte == UInt8(ascii: "\\") else {
            name.append(byte)
            continue
          }
          guard let escaped = rest.popFirst() else { throw malformed }
          name.append(escaped)
        }
        // The closing quote must have been the one that was taken last.
        guard text.bytes[rest.startIndex - 1] == UInt8(ascii: "`") else { throw malformed }
      } else {
        name = Array(rest.prefix { $0 != UInt8(ascii: ".") })
        rest = rest.dropFirst(name.count)
        guard let first = name.first, !(0x30...0x39).contains(first), name.allSatisfy(Self.isSimple) else {
          throw malformed
        }
      }
      guard !name.isEmpty else { throw malformed }
      names.append(ByteString(bytes: name))
      if rest.isEmpty { break }
      guard rest.removeFirst() == UInt8(ascii: "."), !rest.isEmpty else { throw malformed }
    }
    guard allowsReserved || !names.contains(where: \.isReserved) else {
      throw ServiceError.invalidArgument("Property path \"\(text)\" is reserved.")
    }
    self.names = names
  }

  private static func isSimple(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x5F, 0x61...0x7A: true
    default: false
    }
  }

  // MARK: Use

  func get(from fields: MiniFields) -> MiniValue? {
    var value = MiniValue.map(fields)
    for name in names {
      guard case .map(let map) = value, let next = map[name] else { return nil }
      value = next
    }
    return value
  }

  /// Sets the value, or deletes it where it is nil.
  ///
  /// Setting makes the maps on the way.
  func set(_ value: MiniValue?, in fields: inout MiniFields) {
    Self.set(value, names[...], &fields)
  }

  private static func set(_ value: MiniValue?, _ names: ArraySlice<ByteString>, _ fields: inout MiniFields) {
    guard let name = names.first else { return }
    if names.count == 1 {
      fields[name] = value
      return
    }
    var inner: MiniFields = [:]
    if case .map(let map)? = fields[name] {
      inner = map
    } else if value == nil {
      return
    }
    set(value, names.dropFirst(), &inner)
    fields[name] = .map(inner)
  }
}

/// What of a document is to be shown.
struct MiniMask: Sendable {
  /// nil is everything.
  var paths: [MiniFieldPath]?

  func apply(to fields: MiniFields) -> MiniFields {
    guard let paths else { return fields }
    var shown: MiniFields = [:]
    for path in paths where !path.isName {
      if let value = path.get(from: fields) { path.set(value, in: &shown) }
    }
    return shown
  }
}
