import FirestoreModels
import GymModels
import Testing

@Suite struct NameRemainderTests {
  /// A full name, the known parts, and those of the rest.
  static let known = [
    ("Ana María López", PersonName(firstName: "ana  maria"), PersonName(paternalLastName: "López")),
    (
      "Ana María López Ruiz", PersonName(firstName: "Ana María"),
      PersonName(paternalLastName: "López", maternalLastName: "Ruiz")
    ),
    (
      "Ana López Ruiz Gil", PersonName(firstName: "Ana"),
      PersonName(paternalLastName: "López Ruiz", maternalLastName: "Gil")
    ),
    ("Ana María López", PersonName(paternalLastName: "Lopez"), PersonName(firstName: "Ana María")),
    (
      "Ana López Ruiz Gil", PersonName(paternalLastName: "López"),
      PersonName(firstName: "Ana", maternalLastName: "Ruiz Gil")
    ),
    (
      "Ana María López Ruiz", PersonName(maternalLastName: "Ruiz"),
      PersonName(firstName: "Ana María", paternalLastName: "López")
    ),
    ("Ana Ruiz", PersonName(maternalLastName: "Ruiz"), PersonName(firstName: "Ana")),
    (
      "Ana Luz López Gil Ruiz", PersonName(firstName: "Ana Luz", maternalLastName: "Ruiz"),
      PersonName(paternalLastName: "López Gil")
    ),
    // Not found: the plain split.
    ("Ana López", PersonName(firstName: "Anita"), PersonName(paternalLastName: "López")),
    (
      "Ana López", PersonName(maternalLastName: "Gil"),
      PersonName(firstName: "Ana", paternalLastName: "López")
    ),
    (
      "Ana López Ruiz", PersonName(paternalLastName: "Gil"),
      PersonName(firstName: "Ana", maternalLastName: "Ruiz")
    ),
    // In another place: their words are not used again.
    ("Ruiz", PersonName(paternalLastName: "Ruiz", maternalLastName: "Sosa"), PersonName()),
    ("López Ruiz", PersonName(maternalLastName: "LÓPEZ"), PersonName(firstName: "Ruiz")),
    (
      "López Ruiz Ana", PersonName(paternalLastName: "López", maternalLastName: "Ruiz"),
      PersonName(firstName: "Ana")
    ),
    ("Ana López María", PersonName(firstName: "Ana María"), PersonName(paternalLastName: "López")),
    ("Ana López", PersonName(firstName: "Ana", maternalLastName: "López Ana"), PersonName()),
    // With their particles.
    ("la Ruiz", PersonName(paternalLastName: "Ruiz"), PersonName()),
    ("Cruz de la", PersonName(paternalLastName: "Cruz"), PersonName()),
    ("Juan de la Cruz", PersonName(paternalLastName: "Cruz"), PersonName(firstName: "Juan")),
    ("Juan de la O", PersonName(paternalLastName: "de la Cruz"), PersonName(firstName: "Juan")),
    // Around a comma, and beside other signs.
    ("López Ruiz, Ana", PersonName(paternalLastName: "López Ruiz"), PersonName(firstName: "Ana")),
    ("Ana (López)", PersonName(paternalLastName: "López"), PersonName(firstName: "Ana")),
    // As often as the full name has them.
    (
      "Ana López López", PersonName(maternalLastName: "López"),
      PersonName(firstName: "Ana", paternalLastName: "López")
    ),
    // The complete full name is known.
    ("Ana López", PersonName(firstName: "Ana López"), PersonName()),
  ]

  @Test(arguments: known)
  func givesTheRestToTheOthers(fullName: String, known: PersonName, rest: PersonName) {
    #expect(known.missing(from: NameRemainder(of: fullName, beside: known).parts) == rest)
  }
}
