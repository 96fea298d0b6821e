import FirestoreModels
import GymModels
import Schema
import Testing

@testable import MigrationEngine

/// A step, a document's fields before it, and what becomes of them: other fields, none (deleted), or a finding.
struct StepCase: Sendable, CustomTestStringConvertible {
  enum Result: Sendable {
    case fields(FieldMap)
    case deleted
    case finding(Finding.Kind, DeclarativeMigration.Code, String)
  }

  var step: MigrationStep
  var before: FieldMap
  var result: Result

  init(_ step: MigrationStep, _ before: FieldMap, _ after: FieldMap) {
    (self.step, self.before, result) = (step, before, .fields(after))
  }

  init(_ step: MigrationStep, _ before: FieldMap, _ result: Result) {
    (self.step, self.before, self.result) = (step, before, result)
  }

  var testDescription: String { "\(step.reason): \(before.entries.map(\.name))" }
}

private func field(_ segments: String...) -> FieldPath {
  FieldPath(segments: segments) ?? FieldPath(field: "none")
}
private let a = field("a")
private let b = field("b")
private let c = field("c")
private func text(_ text: String) -> Value { .string(text) }
private let users = GymSchema.schema.collection(CollectionPath(nil, "users"))
private let vector = Value.map(["__type__": .string("__vector__"), "value": .array([.double(1)])])

@Suite struct MigrationStepTests {
  static let sets: [StepCase] = [
    StepCase(.set(a, .integer(1)), [:], ["a": .integer(1)]),
    StepCase(.set(a, .integer(1)), ["a": text("x"), "b": .null], ["a": .integer(1), "b": .null]),
    StepCase(.set(a, .null), ["a": text("x")], ["a": .null]),
    StepCase(.set(field("m", "x"), .integer(1)), [:], ["m": .map(["x": .integer(1)])]),
    StepCase(.set(field("m", "x"), .integer(1)), ["m": .null], ["m": .map(["x": .integer(1)])]),
    StepCase(
      .set(field("m", "x"), .integer(1)),
      ["m": .map(["y": .integer(2)])],
      ["m": .map(["x": .integer(1), "y": .integer(2)])]
    ),
    // Null is a map that holds nothing; a blank text is of another type.
    StepCase(
      .set(field("m", "x", "y"), .integer(1)),
      ["m": .map(["x": .null])],
      ["m": .map(["x": .map(["y": .integer(1)])])]
    ),
    StepCase(.set(field("m", "x"), .integer(1)), ["m": text(" ")], .finding(.reject, .parentNotMap, "m.x")),
    // A name with a dot is one name.
    StepCase(.set(field("m.x"), .integer(1)), ["m": .null], ["m": .null, "m.x": .integer(1)]),
    StepCase(.set(field("m", "x"), .integer(1)), ["m": text("t")], .finding(.reject, .parentNotMap, "m.x")),
    StepCase(
      .set(field("m", "x", "y"), .integer(1)),
      ["m": .map(["x": .integer(2)])],
      .finding(.reject, .parentNotMap, "m.x.y")
    ),
    StepCase(.set(field("v", "x"), .integer(1)), ["v": vector], .finding(.reject, .parentNotMap, "v.x")),
    StepCase(
      .setIfMissing(field("v", "value"), text("d")),
      ["v": vector],
      .finding(.reject, .parentNotMap, "v.value")
    ),
    StepCase(.setIfMissing(a, text("d")), [:], ["a": text("d")]),
    StepCase(.setIfMissing(a, text("d")), ["a": .null], ["a": text("d")]),
    StepCase(.setIfMissing(a, text("d")), ["a": text(" \t\u{00A0}")], ["a": text("d")]),
    StepCase(.setIfMissing(a, text("d")), ["a": text("x")], ["a": text("x")]),
    StepCase(.setIfMissing(a, text("d")), ["a": .boolean(false)], ["a": .boolean(false)]),
    StepCase(.setIfMissing(a, text("d")), ["a": .array([])], ["a": .array([])]),
    StepCase(.unset(a), ["a": text("x"), "b": .null], ["b": .null]),
    StepCase(.unset(a), ["b": .null], ["b": .null]),
    StepCase(.unset(a), ["a": .null], [:]),
    StepCase(.unset(field("m", "x")), ["m": .map(["x": .null])], ["m": .map([:])]),
    StepCase(.unset(field("m", "x")), ["m": text("t")], ["m": text("t")]),
    // A vector is one value, and no map.
    StepCase(.unset(field("v", "value")), ["v": vector], ["v": vector]),
    StepCase(.unset(field("m", "v", "value")), ["m": .map(["v": vector])], ["m": .map(["v": vector])]),
    StepCase(.unset(field("m.x")), ["m": .map(["x": .null]), "m.x": .null], ["m": .map(["x": .null])]),
  ]

  static let transfers: [StepCase] = [
    StepCase(.copy(a, to: b, overwrite: false), ["a": text("x")], ["a": text("x"), "b": text("x")]),
    StepCase(.copy(a, to: b, overwrite: false), [:], [:]),
    StepCase(.copy(a, to: b, overwrite: false), ["a": .null, "b": text("y")], ["a": .null, "b": text("y")]),
    StepCase(.copy(a, to: b, overwrite: false), ["a": text(" ")], ["a": text(" ")]),
    StepCase(
      .copy(a, to: b, overwrite: false),
      ["a": text("x"), "b": text("")],
      ["a": text("x"), "b": text("x")]
    ),
    StepCase(
      .copy(a, to: b, overwrite: false),
      ["a": text("x"), "b": text("x")],
      ["a": text("x"), "b": text("x")]
    ),
    StepCase(
      .copy(a, to: b, overwrite: false),
      ["a": text("x"), "b": text("y")],
      .finding(.review, .targetTaken, "b")
    ),
    StepCase(
      .copy(a, to: b, overwrite: true),
      ["a": text("x"), "b": text("y")],
      ["a": text("x"), "b": text("x")]
    ),
    // One and the same to people, and two texts to the service.
    StepCase(
      .copy(a, to: b, overwrite: false),
      ["a": text("\u{E9}"), "b": text("e\u{301}")],
      .finding(.review, .targetTaken, "b")
    ),
    StepCase(.copy(field("v", "value"), to: b, overwrite: false), ["v": vector], ["v": vector]),
    StepCase(.move(field("v", "value"), to: b, overwrite: false), ["v": vector], ["v": vector]),
    StepCase(
      .copy(a, to: field("v", "value"), overwrite: false),
      ["a": text("x"), "v": vector],
      .finding(.reject, .parentNotMap, "v.value")
    ),
    StepCase(.move(a, to: b, overwrite: false), ["a": .integer(1)], ["b": .integer(1)]),
    StepCase(.move(a, to: b, overwrite: false), ["b": .integer(1)], ["b": .integer(1)]),
    StepCase(.move(a, to: b, overwrite: false), ["a": .null], ["b": .null]),
    StepCase(.move(a, to: b, overwrite: false), ["a": .null, "b": .integer(1)], ["b": .integer(1)]),
    StepCase(.move(a, to: b, overwrite: false), ["a": text(" "), "b": .null], ["b": .null]),
    StepCase(.move(a, to: b, overwrite: false), ["a": .integer(1), "b": .integer(1)], ["b": .integer(1)]),
    StepCase(
      .move(a, to: b, overwrite: false),
      ["a": .integer(1), "b": .double(1)],
      .finding(.review, .targetTaken, "b")
    ),
    StepCase(.move(a, to: b, overwrite: true), ["a": .integer(1), "b": .double(1)], ["b": .integer(1)]),
    StepCase(
      .move(a, to: field("m", "x"), overwrite: false),
      ["a": .integer(1)],
      ["m": .map(["x": .integer(1)])]
    ),
    StepCase(
      .move(a, to: field("m", "x"), overwrite: true),
      ["a": .integer(1), "m": text("t")],
      .finding(.reject, .parentNotMap, "m.x")
    ),
  ]

  private static func toInteger(_ policy: MigrationStep.FailurePolicy) -> MigrationStep {
    .convert(a, ValueConversion(to: .integer), onFailure: policy)
  }

  static let rewrites: [StepCase] = [
    StepCase(.rewrite(field("v", "__type__"), .trim), ["v": vector], ["v": vector]),
    StepCase(
      .convert(field("v", "value"), ValueConversion(to: .string), onFailure: .reject),
      ["v": vector],
      ["v": vector]
    ),
    StepCase(toInteger(.reject), ["a": text("7")], ["a": .integer(7)]),
    StepCase(toInteger(.reject), [:], [:]),
    StepCase(toInteger(.reject), ["a": .null], ["a": .null]),
    StepCase(toInteger(.reject), ["a": text("  ")], ["a": text("  ")]),
    StepCase(toInteger(.reject), ["a": text("x")], .finding(.reject, .notConvertible, "a")),
    StepCase(toInteger(.skip), ["a": text("x")], .finding(.note, .notConvertible, "a")),
    StepCase(toInteger(.null), ["a": text("x")], ["a": .null]),
    StepCase(toInteger(.keep), ["a": text("x")], ["a": text("x")]),
    StepCase(.rewrite(a, .lower), ["a": text("ÁNA@X.MX ")], ["a": text("ána@x.mx ")]),
    StepCase(.rewrite(a, .lower), ["a": .integer(1)], .finding(.reject, .wrongType, "a")),
    StepCase(.rewrite(a, .lower), [:], [:]),
    StepCase(.rewrite(a, .lower), ["a": .null], ["a": .null]),
    StepCase(.rewrite(a, .trim), ["a": text("\u{00A0} Ana  López\n")], ["a": text("Ana  López")]),
    StepCase(.rewrite(a, .trim), ["a": text("  ")], ["a": text("  ")]),
    StepCase(.rewrite(a, .trim), ["a": .boolean(true)], .finding(.reject, .wrongType, "a")),
    StepCase(.rewrite(a, .digits), ["a": text("+52 (729) 959-56.62")], ["a": text("527299595662")]),
    StepCase(.rewrite(a, .digits), ["a": text("0072")], ["a": text("0072")]),
    StepCase(.rewrite(a, .digits), ["a": text("７２٣")], ["a": text("723")]),
    StepCase(.rewrite(a, .digits), ["a": text("729 ext 5")], .finding(.reject, .notDigits, "a")),
    StepCase(.rewrite(a, .digits), ["a": text("729 / 722")], .finding(.reject, .notDigits, "a")),
    StepCase(.rewrite(a, .digits), ["a": text("-")], .finding(.reject, .notDigits, "a")),
    StepCase(.rewrite(a, .digits), ["a": text("+521 729 959 5662")], ["a": text("5217299595662")]),
    StepCase(.rewrite(a, .digits), ["a": text("(664) 123-4567")], ["a": text("6641234567")]),
    StepCase(.rewrite(a, .digits), ["a": text("+53 5123 4567")], .finding(.reject, .notDigits, "a")),
    StepCase(.rewrite(a, .digits), ["a": text("+1 (664) 123-4567")], .finding(.reject, .notDigits, "a")),
    StepCase(.rewrite(a, .digits), ["a": text("+7299595662")], .finding(.reject, .notDigits, "a")),
    StepCase(.rewrite(a, .digits), ["a": text("+52 729 959")], .finding(.reject, .notDigits, "a")),
    StepCase(.rewrite(a, .digits), ["a": .integer(729)], .finding(.reject, .wrongType, "a")),
    StepCase(.rewrite(a, .digits), ["a": text("")], ["a": text("")]),
  ]

  private static func map(_ policy: MigrationStep.FailurePolicy) -> MigrationStep {
    .map(a, [.init(text("activa"), text("active")), .init(.integer(1), text("active"))], unknown: policy)
  }

  static let maps: [StepCase] = [
    StepCase(map(.reject), ["a": text("activa")], ["a": text("active")]),
    StepCase(map(.reject), ["a": .integer(1)], ["a": text("active")]),
    // What it makes is right already.
    StepCase(map(.reject), ["a": text("active")], ["a": text("active")]),
    StepCase(map(.reject), [:], [:]),
    StepCase(map(.reject), ["a": .null], ["a": .null]),
    StepCase(map(.reject), ["a": text(" ")], ["a": text(" ")]),
    // Exact: neither another type nor another case.
    StepCase(map(.reject), ["a": .double(1)], .finding(.reject, .unknownValue, "a")),
    StepCase(map(.reject), ["a": text("Activa")], .finding(.reject, .unknownValue, "a")),
    StepCase(map(.skip), ["a": text("x")], .finding(.note, .unknownValue, "a")),
    StepCase(map(.null), ["a": text("x")], ["a": .null]),
    StepCase(map(.keep), ["a": text("x")], ["a": text("x")]),
    StepCase(.map(a, [.init(.null, text("none"))], unknown: .reject), ["a": .null], ["a": text("none")]),
    StepCase(.map(a, [.init(text(""), .null)], unknown: .reject), ["a": text("")], ["a": .null]),
  ]

  private static func join(_ overwrite: Bool) -> MigrationStep {
    .join([a, b], separator: " ", to: c, overwrite: overwrite)
  }

  private static func split(
    _ policy: MigrationStep.FailurePolicy,
    at separator: String? = nil
  ) -> MigrationStep {
    .split(a, separator: separator, to: [b, c], overwrite: false, onFailure: policy)
  }

  static let parts: [StepCase] = [
    StepCase(
      join(false),
      ["a": text("Ana"), "b": text("Ruiz")],
      ["a": text("Ana"), "b": text("Ruiz"), "c": text("Ana Ruiz")]
    ),
    StepCase(
      join(false),
      ["a": .null, "b": text("Ruiz")],
      ["a": .null, "b": text("Ruiz"), "c": text("Ruiz")]
    ),
    StepCase(join(false), ["a": text(" ")], ["a": text(" ")]),
    StepCase(join(false), ["a": text("Ana"), "b": .integer(1)], .finding(.reject, .wrongType, "b")),
    StepCase(join(false), ["a": text("Ana"), "c": text("Eva")], .finding(.review, .targetTaken, "c")),
    StepCase(join(true), ["a": text("Ana"), "c": text("Eva")], ["a": text("Ana"), "c": text("Ana")]),
    StepCase(
      split(.reject),
      ["a": text(" Ana \t Ruiz")],
      ["a": text(" Ana \t Ruiz"), "b": text("Ana"), "c": text("Ruiz")]
    ),
    StepCase(split(.reject), ["a": text("Ana")], .finding(.reject, .partsDiffer, "a")),
    StepCase(split(.skip), ["a": text("Ana de Ruiz")], .finding(.note, .partsDiffer, "a")),
    StepCase(split(.keep), ["a": text("Ana")], ["a": text("Ana")]),
    StepCase(split(.reject), [:], [:]),
    StepCase(split(.reject), ["a": .integer(1)], .finding(.reject, .wrongType, "a")),
    StepCase(split(.reject), ["a": text("x y"), "b": text("z")], .finding(.review, .targetTaken, "b")),
    StepCase(
      split(.reject, at: ", "),
      ["a": text("Ruiz, Ana Eva")],
      ["a": text("Ruiz, Ana Eva"), "b": text("Ruiz"), "c": text("Ana Eva")]
    ),
    StepCase(split(.reject, at: ", "), ["a": text("Ruiz Ana")], .finding(.reject, .partsDiffer, "a")),
  ]

  static let deletions: [StepCase] = [
    StepCase(.softDelete, [:], ["isActive": .boolean(false)]),
    StepCase(.softDelete, ["isActive": .null], ["isActive": .boolean(false)]),
    StepCase(.softDelete, ["isActive": .boolean(true)], ["isActive": .boolean(false)]),
    StepCase(.softDelete, ["isActive": .boolean(false)], ["isActive": .boolean(false)]),
    StepCase(
      .softDelete,
      ["isActive": .boolean(true), "activo": .boolean(true)],
      ["isActive": .boolean(false), "activo": .boolean(false)]
    ),
    StepCase(
      .softDelete,
      ["isActive": .boolean(true), "activo": .null],
      ["isActive": .boolean(false), "activo": .boolean(false)]
    ),
    StepCase(.softDelete, ["activo": text("si")], .finding(.reject, .wrongType, "activo")),
    StepCase(.softDelete, ["isActive": text("si")], .finding(.reject, .wrongType, "isActive")),
    StepCase(.hardDelete, ["a": .null], .deleted),
  ]

  @Test(
    "Each step does what it says, and once",
    arguments: sets + transfers + rewrites + maps + parts + deletions
  )
  func step(_ example: StepCase) throws {
    var fields: FieldMap? = example.before
    var left: [StepFailure] = []
    do throws(StepFailure) {
      try example.step.apply(to: &fields, of: users, noting: &left)
    } catch {
      guard case .finding(let kind, let code, let field) = example.result else {
        Issue.record("\(error)")
        return
      }
      #expect(error.kind == kind)
      #expect(error.code == code)
      #expect(error.field?.description == field)
      return
    }
    switch example.result {
    case .fields(let after):
      #expect(fields == after)
      try example.step.apply(to: &fields, of: users, noting: &left)
      #expect(fields == after, "the second time")
    case .deleted: #expect(fields == nil)
    case .finding(_, let code, _): Issue.record("\(code.rawValue) was expected")
    }
  }
}
