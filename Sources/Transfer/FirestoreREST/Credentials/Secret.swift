import Files

/// A text that must never be printed: it describes, debugs and mirrors itself as dots, and is struck out of what others
/// send back (see ``Secrets``).
struct Secret: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The text, for a header, a form or a signature, and for nothing else.
  let revealed: String

  init(_ text: String) {
    revealed = text
    Secrets.add(text)
  }

  var description: String { "…" }
  var debugDescription: String { "…" }
  var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }

  static func == (a: Secret, b: Secret) -> Bool { a.revealed.utf8.elementsEqual(b.revealed.utf8) }
}
