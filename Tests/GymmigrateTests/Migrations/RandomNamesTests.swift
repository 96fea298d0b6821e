import Foundation
import TestSupport
import Testing

@Suite("Names of every kind against the oracle", .timeLimit(.minutes(60)))
struct RandomNamesTests {
  private static let words = [
    "Ana", "ANA", "José", "Jose\u{301}", "Luis", "María", "Maria\u{301}", "Ángel", "López", "LOPEZ", "Ruiz",
    "Núñez", "Pérez",
    "de", "La", "del", "y", "San", "van", "Lic", "Lic.", "ing.", "DRA", "Sr", "C.P.", "Vda.", "doña", "Jr.",
    "Donají", "Drago",
    "M", "M.", "Ma.", "Mª", "é", "e\u{301}", "2", "Ana2", "(hija)", "-", "·", "😀", "👩‍🦰", "García-Paz",
    "O'Farrill", "D’Angelo",
    "Dʼngelo", "'Ana", "Ana'", "Gil-", "-Gil", "Gil--Paz", "Иван", "Петров", "李", "李明", "محمد", "مُحَمَّد", "राजेश",
    "कि", "Ⅳ",
  ]

  private static func name(_ lengths: ClosedRange<Int>, _ random: inout SplitMix64) -> [String] {
    (0..<Int.random(in: lengths, using: &random)).compactMap { _ in
      // Half of the words are plain.
      let words = Bool.random(using: &random) ? words.prefix(13) : words[...]
      return words.randomElement(using: &random).map {
        Int.random(in: 0..<12, using: &random) == 0 ? $0 + "," : $0
      }
    }
  }

  private static func spaced(_ words: some Sequence<String>, _ random: inout SplitMix64) -> String {
    let space = ["  ", "\u{A0}", "\t", " "].randomElement(using: &random) ?? " "
    let text = words.joined(separator: Int.random(in: 0..<3, using: &random) == 0 ? space : " ")
    return Int.random(in: 0..<6, using: &random) == 0 ? " \(text)\u{A0}" : text
  }

  /// The fields of a name: fullName alone, Android's parts alone, or both, which may agree.
  private static func eras(_ random: inout SplitMix64) -> [String: String] {
    var fields: [String: String] = [:]
    let words = name(0...5, &random)
    let era = Int.random(in: 0..<6, using: &random)
    if era != 0 { fields["fullName"] = spaced(words, &random) }
    if era < 3 {
      let isSame = Bool.random(using: &random)
      let own = isSame ? words : name(0...4, &random)
      let cuts = [
        Int.random(in: 0...own.count, using: &random), Int.random(in: 0...own.count, using: &random),
      ].sorted()
      fields["nombre"] = spaced(own[..<cuts[0]], &random)
      fields["primerApellido"] = spaced(own[cuts[0]..<cuts[1]], &random)
      fields["segundoApellido"] = spaced(own[cuts[1]...], &random)
    }
    return fields
  }

  /// Some of the unified parts that the fields may lead to, and some that they do not.
  private static func standing(_ fields: [String: String], _ random: inout SplitMix64) -> [String: String] {
    let words = (fields["fullName"] ?? "").split(whereSeparator: \.isWhitespace).map(String.init)
    var parts: [String: String] = [:]
    for (index, part) in ["firstName", "paternalLastName", "maternalLastName"].enumerated() {
      switch Int.random(in: 0..<6, using: &random) {
      case 0: parts[part] = spaced(name(1...2, &random), &random)
      case 1...3: parts[part] = index < words.count ? words[index] : nil
      default: break
      }
    }
    return parts
  }

  @Test(
    "What is written, proposed and listed is what the oracle says.",
    arguments: [(false, 1), (false, 2), (true, 3)] as [(Bool, UInt64)]
  )
  func names(accepts: Bool, seed: UInt64) async throws {
    var random = SplitMix64(seed: seed)
    var documents: Documents = [:]
    for number in 0..<3_000 {
      var fields = Self.eras(&random)
      // What is proposed beside parts that stand is left open by the domain page.
      if !accepts { fields.merge(Self.standing(fields, &random)) { $1 } }
      documents["users/u\(number)"] = fields.mapValues(s).merging(["role": s("member")]) { $1 }
    }
    try await withTool { tool in
      try await tool.load(documents)
      try tool.createFolder("before")
      try FileManager.default.moveItem(
        atPath: tool.path("before.jsonl"),
        toPath: tool.path("before/users.jsonl")
      )
      let flags = accepts ? ["--accept-proposals"] : []
      try await Judge.expect(
        tool.path("before"),
        into: tool.path("expected"),
        ["--migrations", "users-unify"] + flags
      )
      try await tool.bare(["migrate", "apply", "users-unify", "-q"] + flags + tool.place).expect(2)
      let run = try tool.lastRun()
      try await tool.run("export", "--all", "-o", "after/", "--format", "jsonl", "-q").expect(0)
      try await Judge.compare(tool.path("expected"), tool.path("after"))

      let report = try JSONSerialization.jsonObject(with: Data(tool.text("expected/report.json").utf8))
      let part =
        ((report as? [String: Any])?["migrations"] as? [String: Any])?["users-unify"] as? [String: Any]
      let expected = (part?["findings"] as? [[String: Any]] ?? []).map {
        "\($0["document"] ?? "") \($0["code"] ?? "")"
      }
      let found = try await tool.findings(of: run).map { "\($0.document) \($0.code)" }
      let differences = Set(found).symmetricDifference(expected).sorted()
      #expect(
        differences == [],
        "\(differences.prefix(3).map { documents[$0.components(separatedBy: " ")[0]] ?? [:] })"
      )
      let codes = Set(found.compactMap { $0.components(separatedBy: " ").last })
      #expect(codes.isSuperset(of: ["name-unusual", "name-disagrees", "name-two-given", "name-particle"]))
    }
  }
}
