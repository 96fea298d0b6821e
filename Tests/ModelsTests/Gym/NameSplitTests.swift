import FirestoreModels
import GymModels
import Testing

/// A full name and its parts.
struct SplitCase: Sendable, CustomTestStringConvertible {
  var fullName: String
  var first: String?
  var paternal: String?
  var maternal: String?
  var doubts: Set<NameSplit.Doubt> = []

  init(
    _ fullName: String,
    _ first: String?,
    _ paternal: String? = nil,
    _ maternal: String? = nil,
    _ doubts: Set<NameSplit.Doubt> = []
  ) {
    self.fullName = fullName
    self.first = first
    self.paternal = paternal
    self.maternal = maternal
    self.doubts = doubts
  }

  var name: PersonName {
    PersonName(firstName: first, paternalLastName: paternal, maternalLastName: maternal)
  }
  var testDescription: String { fullName }
}

@Suite struct NameSplitTests {
  static let cases = [
    SplitCase("", nil),
    SplitCase("Ana", "Ana", nil, nil, [.oneUnit]),
    SplitCase("Ana López", "Ana", "López"),
    SplitCase(" Ana \n López ", "Ana", "López"),
    SplitCase("Ana López Ruiz", "Ana", "López", "Ruiz"),
    SplitCase("Ana María López Ruiz", "Ana María", "López", "Ruiz", [.manyUnits]),
    SplitCase("Ana María Luz López Ruiz", "Ana María Luz", "López", "Ruiz", [.manyUnits]),
    SplitCase("Juan de la Cruz", "Juan", "de la Cruz", nil, [.particle]),
    SplitCase("Juan De La Cruz", "Juan", "De La Cruz", nil, [.particle]),
    SplitCase("Juan de la Cruz Gil", "Juan", "de la Cruz", "Gil", [.particle]),
    SplitCase("José Ortega y Gasset", "José", "Ortega", "y Gasset", [.particle]),
    SplitCase("María del Carmen López Ruiz", "María del Carmen", "López", "Ruiz", [.manyUnits, .particle]),
    SplitCase("Ana San Martín Santa Cruz", "Ana", "San Martín", "Santa Cruz", [.particle]),
    SplitCase("Ian Mc Gregor", "Ian", "Mc Gregor", nil, [.particle]),
    SplitCase("Ian McGregor", "Ian", "McGregor"),
    SplitCase("Ludwig van Beethoven", "Ludwig", "van Beethoven", nil, [.particle]),
    SplitCase("Juan Cruz de", "Juan", "Cruz de", nil, [.particle]),
    SplitCase("Juan Cruz de la", "Juan", "Cruz de la", nil, [.particle]),
    SplitCase("de la", "de la", nil, nil, [.oneUnit, .particle]),
    SplitCase("San Juan", "San Juan", nil, nil, [.oneUnit, .particle]),
    SplitCase("Lic. Ana", "Lic.", "Ana", nil, [.unusual]),
    SplitCase("Ana - López", "Ana", "-", "López", [.unusual]),
    SplitCase("Ana López Gil (hija)", "Ana López", "Gil", "(hija)", [.unusual, .manyUnits]),
    SplitCase("Ana Vda. de Gil", "Ana", "Vda.", "de Gil", [.unusual, .particle]),
    // More than one comma, none behind which there is a name, or another unusual word: nothing is moved.
    SplitCase("López, Ana, hija", "López,", "Ana,", "hija", [.unusual]),
    SplitCase("López Ruiz,", "López", "Ruiz,", nil, [.unusual]),
    SplitCase(",", ",", nil, nil, [.unusual, .oneUnit]),
    SplitCase("López, Lic. Ana", "López,", "Lic.", "Ana", [.unusual]),
  ]

  /// What stands before the only comma goes behind it.
  static let commas = [
    SplitCase("López, Ana", "Ana", "López", nil, [.unusual]),
    SplitCase("López,Ana", "Ana", "López", nil, [.unusual, .oneUnit]),
    SplitCase("López Ruiz , Ana", "Ana", "López", "Ruiz", [.unusual, .manyUnits]),
    SplitCase("López Ruiz, Ana María", "Ana María", "López", "Ruiz", [.unusual, .manyUnits]),
    SplitCase("de la Cruz Gil, Ana", "Ana", "de la Cruz", "Gil", [.unusual, .particle]),
    SplitCase("López Gil Paz, Ana", "Ana", "López Gil", "Paz", [.unusual, .manyUnits]),
  ]

  @Test(arguments: commas) func movesWhatStandsBeforeTheComma(_ example: SplitCase) {
    let split = NameSplit(example.fullName)
    #expect(split.name == example.name)
    #expect(split.doubts == example.doubts)
    #expect(split.firstDoubt == .unusual)
  }

  @Test(arguments: [
    ("José Luis Pérez", true), ("MARIA ELENA LOPEZ", true), ("Jose\u{301} A\u{301}ngel Gil", true),
    ("Ana López Luis", false), ("José Luis", false), ("José Luis Pérez Gil", false),
    ("José de Luis Pérez", false),
    ("José Luisa2 Pérez", false), ("José Martínez Pérez", false),
  ])
  func knowsASecondGivenName(fullName: String, isSecondGiven: Bool) {
    #expect(NameSplit(fullName).hasTwoGivenNames == isSecondGiven)
  }

  @Test(arguments: cases) func splits(_ example: SplitCase) {
    let split = NameSplit(example.fullName)
    #expect(split.name == example.name)
    #expect(split.doubts == example.doubts)
    // No token is dropped or moved.
    #expect(split.name.joined.isIdentical(to: PlainText.tidied(example.fullName)))
  }
}

@Suite struct NameWordTests {
  @Test(arguments: [
    "López,", "(hija)", "2", "Ana2", "-", ".", "😀", "Ana👩‍🦰", "M", "é", "e\u{301}", "É", "M.", "Ma.",
    "Ma.Luisa",
    "Sr", "sra.", "SRTA", "Lic", "Ing.", "dr", "Dra", "Prof", "Profa.", "Mtro", "mtra", "Arq.", "C.P.", "CP",
    "cp.", "Jr",
    "Vda.", "Hno", "Hna", "don", "Don", "DOÑA", "don\u{303}a", "'Ana", "Ana'", "Ana’", "ʼAna", "Anaʼ", "-Ana",
    "Ana-",
    "Ana--Luz", "O'-Neil", "Ana\u{2010}Luz", "Ana_Luz", "Ana/Luz", "\u{301}Ana", "Ana\u{200B}", "Mª", "N.º",
    "明", "ب", "कि",
    "\u{1100}\u{1161}", "Ⅳ", "٣", "",
  ])
  func isUnusual(_ word: String) { #expect(NameWord.isUnusual(word)) }

  @Test(arguments: [
    "Ana", "LÓPEZ", "Nu\u{301}n\u{303}ez", "García-Paz", "O'Farrill", "D’Angelo", "Dʼ\u{41}ngelo", "Al-Ha'dí",
    "e\u{301}-a\u{301}",
    "Li", "Иван", "Михаи\u{306}л", "李明", "محمد", "مُحَمَّد", "राजेश", "कुमार", "\u{1100}\u{1161}\u{1102}\u{1161}",
    "Dron", "Donají",
    "Licia", "Sravan", "II",
  ])
  func isUsual(_ word: String) { #expect(!NameWord.isUnusual(word)) }

  @Test("A text of nothing but particles takes no longer than its length", .timeLimit(.minutes(1)))
  func manyParticles() {
    let text = String(repeating: "de ", count: 300_000)
    let split = NameSplit(text)
    #expect(split.name.firstName?.utf8.count == text.utf8.count - 1)
    #expect(split.doubts == [.oneUnit, .particle])
  }

  @Test func thereAreSixtyGivenNames() { #expect(NameWord.givenNames.count == 60) }
}

@Suite struct PersonNameTests {
  let ana = PersonName(firstName: " Ana ", paternalLastName: "López", maternalLastName: "Ruiz")

  @Test func joinsTidily() {
    #expect(ana.joined == "Ana López Ruiz")
    #expect(PersonName().joined.isEmpty)
    #expect(PersonName(maternalLastName: "Ruiz").joined == "Ruiz")
  }

  @Test(
    arguments: [
      ("Ana López Ruiz", true), ("ANA  LOPEZ ruiz", true), ("Ana López", true), ("ana lopez", true),
      ("Ana", false), ("Ana Ruiz", false), ("López Ruiz", false), ("Ana López Ruiz Gil", false),
      ("Ana Ruiz López", false),
    ])
  func agreesWithFullName(fullName: String, agrees: Bool) {
    #expect(ana.agrees(withFullName: fullName) == agrees)
  }

  @Test func aMaternalNameOfFullNameAloneIsADisagreement() {
    #expect(!PersonName(firstName: "Ana", paternalLastName: "López").agrees(withFullName: "Ana López Ruiz"))
  }

  @Test func isEqualByBytes() {
    #expect(PersonName(firstName: "José") != PersonName(firstName: "Jose\u{301}"))
    #expect(PersonName(firstName: "José").saysSame(as: PersonName(firstName: "Jose\u{301}")))
    #expect(PersonName(firstName: "Ana").saysSame(as: PersonName(paternalLastName: "López")))
    #expect(PersonName(firstName: "Ana").filled(from: ana).firstName == "Ana")
  }
}
