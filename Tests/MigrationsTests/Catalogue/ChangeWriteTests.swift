import FirestoreModels
import TestSupport
import Testing

@Suite struct ChangeWriteTests {
  private static let updatedAt = FieldPath(field: "updatedAt")

  private func change(
    _ before: FieldMap,
    _ after: FieldMap,
    serverTimes: [FieldPath] = []
  ) throws -> (Change, FieldMap, [String]) {
    let read = try document("c/d", before)
    let change = Change(path: read.path, before: read, after: after, serverTimes: serverTimes)
    guard case .update(let fields, let mask?) = change.write.operation else {
      throw WriteApplier.Refused()
    }
    #expect(change.write.precondition == read.updateTime.map(Precondition.updateTime))
    return (change, fields, mask.map(\.description))
  }

  /// Before, after, the mask and the fields of the write.
  static let updates: [(FieldMap, FieldMap, [String], FieldMap)] = [
    (["a": .integer(1)], ["a": .integer(1)], [], [:]),
    (["a": .integer(1)], ["a": .integer(2)], ["a"], ["a": .integer(2)]),
    (["a": .integer(1)], ["a": .double(1)], ["a"], ["a": .double(1)]),
    (["a": .integer(1), "b": .null], ["b": .null], ["a"], [:]),
    ([:], ["a": .null], ["a"], ["a": .null]),
    (["é": .string("é")], ["é": .string("e\u{301}")], ["`é`"], ["é": .string("e\u{301}")]),
    (
      ["m": .map(["x": .integer(1), "y": .integer(2)])], ["m": .map(["x": .integer(1), "y": .integer(3)])],
      ["m.y"], ["m": .map(["y": .integer(3)])]
    ),
    (
      ["m": .map(["x": .integer(1), "a.b": .map(["c": .null])])],
      ["m": .map(["x": .integer(1), "a.b": .map(["c": .boolean(true)])])], ["m.`a.b`.c"],
      ["m": .map(["a.b": .map(["c": .boolean(true)])])]
    ),
    (["m": .map(["x": .integer(1), "y": .null])], ["m": .map(["y": .null])], ["m.x"], [:]),
    // An emptied map must not vanish.
    (["m": .map(["x": .integer(1)])], ["m": .map([:])], ["m"], ["m": .map([:])]),
    (
      ["m": .map(["n": .map(["x": .null])])], ["m": .map(["n": .map([:])])], ["m.n"],
      ["m": .map(["n": .map([:])])]
    ),
    ([:], ["m": .map([:])], ["m"], ["m": .map([:])]),
    (["m": .map([:])], ["m": .map(["x": .null])], ["m.x"], ["m": .map(["x": .null])]),
    (["m": .map(["x": .null])], ["m": .map(["y": .null])], ["m.x", "m.y"], ["m": .map(["y": .null])]),
    (["m": .map(["x": .null])], [:], ["m"], [:]),
    (["m": .map(["x": .null])], ["m": .string("")], ["m"], ["m": .string("")]),
    (
      ["m": .array([.map([:])])], ["m": .array([.map(["x": .null])])], ["m"],
      ["m": .array([.map(["x": .null])])]
    ),
    (
      ["v": .map(["__type__": .string("__vector__"), "value": .array([.double(1)])])],
      ["v": .map(["__type__": .string("__vector__"), "value": .array([.double(2)])])], ["v"],
      ["v": .map(["__type__": .string("__vector__"), "value": .array([.double(2)])])]
    ),
  ]

  @Test(arguments: updates)
  func masksTheLeafMostPaths(before: FieldMap, after: FieldMap, mask: [String], fields: FieldMap) throws {
    let (change, written, paths) = try change(before, after)
    #expect(paths == mask)
    #expect(written == fields)
    #expect(try WriteApplier.apply(change.write, to: change.before, at: serverTime()) == after)
    #expect(change.differences.map(\.path.description) == mask)
  }

  @Test func serverTimesAreTransformsOutsideTheMask() throws {
    let (change, fields, mask) = try change(
      ["a": .integer(1), "updatedAt": .string("old")],
      ["a": .integer(2)],
      serverTimes: [Self.updatedAt]
    )
    #expect(mask == ["a"] && fields == ["a": .integer(2)])
    #expect(change.write.transforms == [FieldTransform(Self.updatedAt, .requestTime)])
    #expect(
      change.differences == [
        FieldDifference(path: FieldPath(field: "a"), before: .integer(1), after: .integer(2)),
        FieldDifference(path: Self.updatedAt, before: .string("old"), after: nil, isServerTime: true),
      ]
    )
  }

  @Test(
    arguments: [
      (["m": .map(["t": .null])], [:], []),
      (["m": .map(["t": .null, "x": .null])], ["m": .map(["x": .null])], []),
      (["m": .map(["t": .null, "x": .null])], [:], ["m.x"]), ([:], ["m": .map(["x": .null])], ["m.x"]),
      ([:], [:], []), (["m": .string("")], [:], ["m"]),
    ] as [(FieldMap, FieldMap, [String])]
  )
  func aNestedServerTimeStaysOutOfTheMaskToo(before: FieldMap, after: FieldMap, mask: [String]) throws {
    let path = FieldPath(field: "m").appending("t")
    let (change, _, paths) = try change(before, after, serverTimes: [path])
    #expect(paths == mask)
    let now = try serverTime()
    var expected = after
    expected[path] = now
    #expect(try WriteApplier.apply(change.write, to: change.before, at: now) == expected)
  }

  @Test func aCreationIsWholeAndOnlyWhereThereIsNothing() throws {
    let path = try #require(DocumentPath("c/d"))
    let created = FieldPath(field: "createdAt")
    let change = Change(path: path, before: nil, after: ["a": .null], serverTimes: [created])
    #expect(
      change.write
        == Write(
          path: path,
          operation: .update(fields: ["a": .null], mask: nil),
          transforms: [FieldTransform(created, .requestTime)],
          precondition: .exists(false)
        )
    )
    #expect(change.differences.map(\.path.description) == ["a", "createdAt"])
  }

  @Test func aDeletionNamesWhatWasRead() throws {
    let read = try document("c/d", ["a": .integer(1), "b": .map(["x": .null])])
    let change = Change(path: read.path, before: read, after: nil)
    #expect(
      change.write
        == Write(
          path: read.path,
          operation: .delete,
          precondition: read.updateTime.map(Precondition.updateTime)
        )
    )
    #expect(change.differences.map(\.path.description) == ["a", "b"])
    #expect(change.differences.allSatisfy { $0.after == nil && $0.before != nil })
  }

  @Test func withoutAnUpdateTimeTheDocumentHasToBeThere() throws {
    let read = try document("c/d", [:], created: nil)
    #expect(Change(path: read.path, before: read, after: ["a": .null]).write.precondition == .exists(true))
    #expect(Change(path: read.path, before: read, after: nil).write.precondition == .exists(true))
  }

  @Test(arguments: [1, 2, 3]) func applyingTheWriteGivesTheAfterImage(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    func map(depth: Int) -> FieldMap {
      var out = FieldMap()
      for name in ["a", "b.c", "d", "é", "e\u{301}"] where random.chance(2) {
        out[name] =
          depth > 0 && random.chance(2)
          ? .map(map(depth: depth - 1))
          : random.pick([.null, .integer(1), .string("x"), .array([.map([:])])])
      }
      return out
    }
    let now = try serverTime()
    for round in 0..<1_000 {
      let read = try document("c/d", map(depth: 3))
      let nested = FieldPath(field: "a").appending("t")
      let times = random.chance(2) ? [nested] : random.chance(2) ? [Self.updatedAt] : []
      var after = map(depth: 3)
      for path in times { after[path] = nil }
      // A transform below something that is no map is the service's to sort out, not a migration's to ask for.
      if times == [nested], after["a"].map({ $0.map == nil }) ?? false { continue }
      let change = Change(path: read.path, before: read, after: after, serverTimes: times)
      var expected = after
      for path in times { expected[path] = now }
      let written = try WriteApplier.apply(change.write, to: read, at: now)
      #expect(written == expected, "seed \(seed), round \(round)")
    }
  }
}
