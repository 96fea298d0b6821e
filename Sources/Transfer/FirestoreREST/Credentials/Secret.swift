import Files

/// A text that is never printed.
///
/// Its descriptions and its mirror show dots, and ``Secrets`` removes it from all text that others return.
struct Secret: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The text, which may only go into a header, a form or a signature.
  let revealed: String

  init(_ text: String) {
    revealed = text
    Secrets.add(text)
  }

  /// Creates a text of which only some words are secret, such as the one after `Bearer`.
  init(_ text: String, wordsThat isSecret: (Substring) -> Bool) {
    revealed = text
    for word in text.split(separator: " ") where isSecret(word) { Secrets.add(String(word)) }
  }

  var description: String { "…" }
  var debugDescription: String { "…" }
  var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }

  static func == (a: Secret, b: Secret) -> Bool { a.revealed.utf8.elementsEqual(b.revealed.utf8) }
}
