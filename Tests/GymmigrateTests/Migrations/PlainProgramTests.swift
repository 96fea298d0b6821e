import Foundation
import TestSupport
import Testing

@Suite("Programs that decide on plain documents", .timeLimit(.minutes(60)))
struct PlainProgramTests {
  private func fix(_ tool: Tool) async throws -> RunResult {
    let flags = ["--run-style", "plain", "--no-touch", "--json"]
    return try await tool.bare(ProgramTests.fix + flags + tool.place)
  }

  @Test("Plain documents come back with the types that they had, or that the schema says.")
  func plain() async throws {
    let program = """
      for line in sys.stdin:
        document = json.loads(line)
        if document['__name__'] == 'members/p2': say({'skip': str(sorted(document))})
        else:
          document.update(firstName='Ana', n=7, registrationDate='2026-01-31T12:00:00Z')
          document.pop('gone', None)
          document['map']['changed'] = 2
          say(document)
      """
    let kept = [
      "time": t("2020-01-01T00:00:00Z"), "ref": #"{"referenceValue":"projects/p/databases/d/documents/a/b"}"#,
      "bytes": #"{"bytesValue":"AAEC"}"#, "point": #"{"geoPointValue":{"latitude":1,"longitude":2}}"#,
      "double": d(3), "big": i(9_007_199_254_740_993), "nan": #"{"doubleValue":"NaN"}"#,
    ]
    var before = kept.merging(["gone": null, "n": d(1), "fields": s("x")]) { $1 }
    before["map"] = m(["time": t("2020-01-01T00:00:00Z"), "changed": i(1)])
    var after = kept.merging(["firstName": s("Ana"), "n": d(7), "fields": s("x")]) { $1 }
    after["registrationDate"] = t("2026-01-31T12:00:00Z")
    after["map"] = m(["time": t("2020-01-01T00:00:00Z"), "changed": i(2)])
    try await withTool { tool in
      try await tool.load(["members/p1": before, "members/p2": ["same": b(true)]])
      try tool.write(ProgramTests.head + program, to: "fix.py")
      let result = try await fix(tool)
      result.expect(0)
      #expect(try result.summary().totals.written == 1)
      #expect(
        try await tool.documents() == parsed(["members/p1": after, "members/p2": ["same": b(true)]])
      )
    }
  }

  /// Prints numbers as jq and node do: whole doubles without a point, and all as doubles.
  private static let doubles = """
    def number(text):
        double = float(text)
        return int(double) if double.is_integer() else double
    def plain():
        for line in sys.stdin: yield json.loads(line, parse_int=number, parse_float=number)

    """

  private static func list(_ values: String...) -> String {
    #"{"arrayValue":{"values":[\#(values.joined(separator: ","))]}}"#
  }

  @Test("What a program leaves as it is keeps its type, however it prints numbers, and wherever it stands.")
  func untouched() async throws {
    let program =
      Self.doubles + """
        for document in plain():
            document['done'] = True
            document['more'] = document['more'] + ['x'] if len(document['more']) == 2 else document['more']
            document['fewer'] = document['fewer'][-2:]
            say(document)
        """
    let (early, late) = (t("2020-01-01T00:00:00Z"), t("2021-01-01T00:00:00Z"))
    let point = #"{"geoPointValue":{"latitude":52,"longitude":13.5}}"#
    let ref = #"{"referenceValue":"projects/p/databases/d/documents/a/b"}"#
    var fields = [
      "point": point, "big": i(9_007_199_254_740_993), "bigger": i(.max), "double": d(3),
      "mixed": Self.list(d(3), early, #"{"bytesValue":"AAEC"}"#, point, ref),
      "maps": Self.list(m(["n": d(1), "when": early])), "map": m(["n": d(1), "point": point]),
      "more": Self.list(early, late), "fewer": Self.list(d(1), early, late, d(4)),
    ]
    try await withTool { tool in
      try await tool.load(["members/p1": fields])
      try tool.write(ProgramTests.head + program, to: "fix.py")
      let result = try await fix(tool)
      result.expect(0)
      fields["done"] = b(true)
      fields["more"] = Self.list(early, late, s("x"))
      fields["fewer"] = Self.list(late, d(4))
      #expect(try await tool.documents() == parsed(["members/p1": fields]))
      #expect(try result.summary().totals.written == 1)
    }
  }

  @Test("What comes back under another name is what it was, and what may be something else is noted.")
  func moved() async throws {
    let program =
      Self.doubles + """
        for document in plain():
            # Each document is sent once more as it would be then.
            if 'to' in document:
                say(document)
                continue
            document['to'] = {'when': document.pop('when'), 'list': [document.pop('big')], 'n': 2}
            document['renamed'] = document.pop('map')
            document['renamed']['more'] = True
            document['copy'] = document['stays']
            document['digits'] = document['exact']
            document['either'] = document.pop('text')
            document.pop('bytes')
            document['count'] = document.pop('price')
            document['same'] = document['words']
            say(document)
        """
    let (early, late) = (t("2020-01-01T00:00:00Z"), t("2021-01-01T00:00:00Z"))
    let bytes = #"{"bytesValue":"AAEC"}"#
    let big = i(9_007_199_254_740_993)
    try await withTool { tool in
      try await tool.load([
        "members/p1": [
          "when": early, "big": big,
          "map": m(["point": #"{"geoPointValue":{"latitude":1,"longitude":2}}"#, "t": early]),
          "stays": late, "exact": i(9_007_199_254_740_995), "text": s("AAEC"), "bytes": bytes, "price": d(1),
          "words": s("a"),
        ]
      ])
      try tool.write(ProgramTests.head + program, to: "fix.py")
      let result = try await fix(tool)
      result.expect(0)
      let after = [
        "to": m(["when": early, "list": Self.list(big), "n": i(2)]),
        "renamed": m([
          "point": #"{"geoPointValue":{"latitude":1,"longitude":2}}"#, "t": early, "more": b(true),
        ]),
        "stays": late, "copy": s("2021-01-01T00:00:00Z"), "exact": i(9_007_199_254_740_995),
        "digits": i(9_007_199_254_740_996), "either": s("AAEC"), "count": d(1), "words": s("a"),
        "same": s("a"),
      ]
      #expect(try await tool.documents() == parsed(["members/p1": after]))
      let findings = try tool.text(".gymmigrate/runs/\(try result.summary().runId)/findings.csv")
      for text in [
        "copy: string that looks like the timestamp of stays",
        "digits: integer that looks like the integer of exact",
        "either: string that looks like the bytes of bytes",
      ] {
        #expect(findings.contains(text), "\(findings)")
      }
      for name in ["to", "renamed", "count", "same", "n"] {
        #expect(!findings.contains("\(name):"), "\(findings)")
      }
    }
  }

  @Test(
    "A value keeps its type wherever it is moved, also where another was, and a value that cannot be is rejected."
  )
  func wherever() async throws {
    let program =
      Self.doubles + """
        for document in plain():
            if 'from' in document:
                document['to'], document['a'], document['b'] = document.pop('from'), document['b'], document['a']
                document['last'] = document['list'].pop(0)
                document['more'] = document['last']
                document['nested'] = document.pop('vectors')
            if document['__name__'] == 'members/p2': document['new'] = [[1]]
            say(document)
        """
    let (early, late) = (t("2020-01-01T00:00:00Z"), t("2021-01-01T00:00:00Z"))
    let (bytes, ref) = (#"{"bytesValue":""}"#, #"{"referenceValue":"projects/p/databases/d/documents/a/b"}"#)
    let vectors = Self.list(
      m(["__type__": s("__vector__"), "value": Self.list(d(1.5))])
    )
    try await withTool { tool in
      try await tool.load([
        "members/p1": [
          "from": early, "to": null, "a": bytes, "b": ref, "list": Self.list(late, d(2)), "vectors": vectors,
        ],
        "members/p2": ["x": i(1)],
      ])
      try tool.write(ProgramTests.head + program, to: "fix.py")
      let result = try await fix(tool)
      let text = s("2021-01-01T00:00:00Z")
      let after = [
        "to": early, "a": ref, "b": bytes, "list": Self.list(d(2)), "last": text, "more": text,
        "nested": vectors,
      ]
      #expect(try await tool.documents() == parsed(["members/p1": after, "members/p2": ["x": i(1)]]))
      let findings = try tool.text(".gymmigrate/runs/\(try result.summary().runId)/findings.csv")
      for text in [
        "last: string that looks like the timestamp of list",
        "more: string that looks like the timestamp of list",
        "new: an array within an array cannot be stored; the document is left as it is",
      ] {
        #expect(findings.contains(text), "\(findings)")
      }
    }
  }

  @Test("A type that plain JSON does not have, and that is lost by a change, is noted.")
  func lostTypes() async throws {
    let program =
      Self.doubles + """
        for document in plain():
            document['when'] = '2026-01-31T00:00:00Z'
            document['list'][0] = '2026-01-31T00:00:00Z'
            document['n'] = 7
            document['q'] = '2'
            say(document)
        """
    let early = t("2020-01-01T00:00:00Z")
    try await withTool { tool in
      try await tool.load([
        "members/p1": ["when": early, "list": Self.list(early, early), "n": d(1), "q": i(2)]
      ])
      try tool.write(ProgramTests.head + program, to: "fix.py")
      let result = try await fix(tool)
      result.expect(0)
      let changed = s("2026-01-31T00:00:00Z")
      let after = ["when": changed, "list": Self.list(changed, early), "n": d(7), "q": s("2")]
      #expect(try await tool.documents() == parsed(["members/p1": after]))
      let findings = try tool.text(".gymmigrate/runs/\(try result.summary().runId)/findings.csv")
      #expect(findings.contains("when: timestamp becomes string"), "\(findings)")
      #expect(findings.contains("list: timestamp becomes string"), "\(findings)")
      #expect(findings.contains("q: integer becomes string"), "\(findings)")
      #expect(!findings.contains("\"n\""), "\(findings)")
    }
  }
}
