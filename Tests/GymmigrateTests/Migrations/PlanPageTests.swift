import Foundation
import TestSupport
import Testing

@Suite("The page of a plan, and what a plan costs", .timeLimit(.minutes(60)))
struct PlanPageTests {
  /// What Python's parser of HTML finds in a page.
  private struct Parsed: Decodable {
    var changes: [[[String]]]
    var scripts: Int
    var hashes: [String]
    var policy: String
    var attributes: [String]
    var ids: [String]
    var totals: [String]
    var texts: [String]
  }

  private static let parser = #"""
    import base64, hashlib, html.parser, json, sys
    class Reader(html.parser.HTMLParser):
        def __init__(self):
            super().__init__(convert_charrefs=True)
            self.changes, self.scripts, self.hashes, self.policy = [], 0, [], ""
            self.attributes, self.ids, self.totals, self.texts, self.open = set(), [], [], [], []
        def handle_starttag(self, tag, attributes):
            given = dict(attributes)
            # A link within the page loads nothing.
            self.attributes.update(name for name, value in attributes if not (name == "href" and value[0] == "#"))
            if "id" in given: self.ids.append(given["id"])
            if tag == "meta" and "http-equiv" in given: self.policy = given["content"]
            if tag == "li" and given.get("class") == "change": self.changes.append([])
            if tag == "tr" and "li.change" in self.open: self.changes[-1].append([])
            if tag == "script": self.scripts += 1
            if tag not in ("meta", "input", "rect", "br"):
                self.open.append("li.change" if given.get("class") == "change" else tag)
            if tag in ("script", "style"): self.source = ""
            if tag == "li" and "ul" in self.open: self.totals.append("")
        def handle_endtag(self, tag):
            if tag in ("script", "style"):
                digest = hashlib.sha256(self.source.encode()).digest()
                self.hashes.append("sha256-" + base64.b64encode(digest).decode())
            if tag != "rect":
                last = self.open.pop()
                assert last == tag or (last, tag) == ("li.change", "li"), (last, tag, self.getpos())
        def handle_data(self, data):
            if self.open and self.open[-1] in ("script", "style"):
                self.source += data
                return
            if "ul" in self.open and data.strip(): self.totals[-1] += data
            if not data.strip(): return
            self.texts.append(data)
            if "li.change" in self.open and "tbody" in self.open: self.changes[-1][-1].append(data)
    reader = Reader()
    reader.feed(open(sys.argv[1], encoding="utf-8", newline="").read())
    reader.close()
    assert not reader.open, reader.open
    reader.__dict__["attributes"] = sorted(reader.attributes)
    names = "changes scripts hashes policy attributes ids totals texts".split()
    print(json.dumps({name: getattr(reader, name) for name in names}))
    """#

  private func parse(_ path: String) async throws -> Parsed {
    let text = try await Judge.script(Self.parser, path)
    return try JSONDecoder().decode(Parsed.self, from: Data(text.utf8))
  }

  /// A page that loads nothing and runs its own script alone, which another judge's digests prove.
  private func expectSealed(_ page: Parsed, _ location: SourceLocation = #_sourceLocation) {
    #expect(page.scripts == 1, sourceLocation: location)
    #expect(page.hashes.count == 2, sourceLocation: location)
    let digests = page.hashes.map { "'\($0)'" }
    #expect(
      page.policy
        == "default-src 'none'; style-src \(digests[0]); script-src \(digests[1]); base-uri 'none'; form-action 'none'",
      sourceLocation: location
    )
    let loading = page.attributes.filter { $0.hasPrefix("on") || ["src", "href", "style"].contains($0) }
    #expect(loading.isEmpty, sourceLocation: location)
    #expect(Set(page.ids).count == page.ids.count, sourceLocation: location)
  }

  // MARK: The sample gym

  @Test("It shows the totals of the plan, every change of it, and the list for review.")
  func sampleGym() async throws {
    try await withMini(.withSamples(["users", "user_emails", "groups"])) { tool, _ in
      let result = try await tool.run("migrate", "plan", "users-unify", "--html", "plan.html").expect(0)
      #expect(result.errors.contains("See plan.html."))
      let page = try await parse(tool.path("plan.html"))
      expectSealed(page)
      let run = try #require(tool.runs().first)
      let lines = try tool.text("\(run)/plan.jsonl").split(separator: "\n").count
      #expect(page.changes.count == lines - 1)
      // As docs/migrating.md counts them.
      #expect(
        page.totals == ["43 for review", "8 left alone", "0 to create", "264 to update", "0 to delete"]
      )
      #expect(page.texts.contains { $0.hasPrefix("264 shown, which is all.") })
      #expect(page.texts.contains("name-one-word"))
      // Every finding: of each, the finding itself, and the row that counts its code.
      let findings = try await tool.findings(of: tool.lastRun())
      #expect(page.texts.contains { $0.hasPrefix("\(findings.count) shown, which is all.") })
      #expect(page.texts.count { $0 == "role-missing" } == 1 + findings.count { $0.code == "role-missing" })
      // Nothing is left of a page that could not be written.
      try await tool.run("migrate", "plan", "users-unify", "--html", "nowhere/plan.html")
        .expectFailure(73, "nowhere")
      #expect(tool.names(in: ".").filter { $0.contains("html") } == ["plan.html"])
      guard Browser.isThere else { return }
      let seen = try await Browser.page(tool.path("plan.html"), in: tool.folder)
      #expect(seen.items("data-kind=\"update\"") == (264, 264))
      #expect(seen.matches("changes") == "")
      #expect(seen.tags("id=\"filter\"").first?.contains("hidden") == false)
      let searched = try await Browser.page(
        tool.path("plan.html"),
        fragment: "q=NAME-ONE-word",
        in: tool.folder
      )
      #expect(searched.items("data-kind=\"update\"").shown == 0)
      #expect(searched.matches("changes") == "0 of them match.")
      #expect(searched.matches("review") == "3 of them match.")
      #expect(searched.matches("findings") == "3 of them match.")
      let notes = try await Browser.page(tool.path("plan.html"), fragment: "q=role-missing", in: tool.folder)
      #expect(notes.matches("findings") == "3 of them match.")
      #expect(notes.matches("review") == "0 of them match.")
    }
  }

  @Test("--html is for a plan, and for a file.")
  func wrongUse() async throws {
    try await withTool { tool in
      try await tool.run("migrate", "plan", "users-unify", "--html", "-").expectFailure(64, "--html")
      try await tool.run("migrate", "apply", "users-unify", "--html", "p.html").expectFailure(64, "--dry-run")
      try await tool.run("fix", "members", "--all-documents", "--set", "a=1", "--html", "p.html")
        .expectFailure(64, "--dry-run")
    }
  }

  // MARK: Hostile data

  private static let breakout = "</script></style><script>document.title='pwned'</script>'\"&amp;<!--"

  private func withHostile(_ body: (Tool, String) async throws -> Void) async throws {
    try await withTool { tool in
      try await tool.load([
        #"members/<img src=x onerror=alert(1)>\"'&"#: [
          "note": s(" \(Self.breakout) "), "<b onclick=\"x\">'": i(7),
        ],
        "members/2": ["note": s(" Peña \u{202E}gnp.exe\u{0}\u{1B}[2J\u{2028} ")],
        "members/3": ["note": s(" \(String(repeating: "ñ", count: 3000)) ")],
        "members/4": ["note": s("fine")],
      ])
      let flags = ["fix", "members", "--all-documents", "--trim", "note", "--unset", "`<b onclick=\"x\">'`"]
      try await tool.bare(flags + ["--no-touch", "-n", "--html", "fix.html"] + tool.place).expect(0)
      try await body(tool, tool.path("fix.html"))
    }
  }

  @Test("Whatever names and values hold, they are text.")
  func hostileData() async throws {
    try await withHostile { tool, path in
      let page = try await parse(path)
      expectSealed(page)
      #expect(page.totals == ["0 for review", "0 left alone", "0 to create", "3 to update", "0 to delete"])
      // In the order of the names' bytes: 2, 3, <. JSON's escapes stand as they are, and what hides is written out.
      let long = "\"" + String(repeating: "ñ", count: 999)
      let rows = page.changes.map { change in change.filter { !$0.isEmpty } }
      let quoted = Self.breakout.replacing("\"", with: "\\\"")
      #expect(
        rows == [
          [
            [
              "note", "\" Peña \\u202egnp.exe\\u0000\\u001b[2J\\u2028 \"",
              "\"Peña \\u202egnp.exe\\u0000\\u001b[2J\"",
            ]
          ],
          [
            [
              "note", "\" " + long.dropFirst().dropLast(), "… (3,004 characters)", long,
              "… (3,002 characters)",
            ]
          ],
          [["`<b onclick=\"x\">'`", "7", "(none)"], ["note", "\" \(quoted) \"", "\"\(quoted)\""]],
        ]
      )
      #expect(page.texts.contains(#"members/<img src=x onerror=alert(1)>"'&"#))
    }
  }

  @Test(
    "In a browser, nothing but its own script runs, and the fragment filters the list.",
    .enabled(
      if: Browser.isThere,
      "no Chromium is here to judge; install chromium-headless-shell, or name one in GYMMIGRATE_CHROMIUM"
    )
  )
  func inABrowser() async throws {
    try await withHostile { tool, path in
      let page = try await Browser.page(path, in: tool.folder)
      #expect(page.dom.contains("<title>Plan for local: fix members</title>"))
      #expect(page.tags("<script").count == 1 && page.tags("<img").isEmpty)
      #expect(page.dom.contains("<li><a href=\"#kind=update\"><b>3</b> to update</a></li>"))
      #expect(page.items("class=\"change\"") == (3, 3))
      for (fragment, shown) in [
        // Letters without their accents, in any case, and every word.
        ("q=pena", 1), ("q=PE%C3%91A%20note", 1), ("q=pena%20nowhere", 0), ("q=%3C%2Fscript%3E", 1),
        ("kind=update", 3), ("kind=delete", 0), ("collection=members", 3), ("kind=nonsense", 3),
        ("collection=members&q=members%2F3", 1), ("q=%20", 3),
      ] {
        let page = try await Browser.page(path, fragment: fragment, in: tool.folder)
        #expect(page.items("class=\"change\"") == (3, shown), "\(fragment)")
        #expect(page.matches("changes") == (shown == 3 ? "" : "\(shown) of them match."), "\(fragment)")
      }
    }
  }

  @Test(
    "On a telephone and on a screen, by light and in the dark, nothing overflows or is faint.",
    .enabled(if: Browser.isThere, "Chromium judges the layout.")
  )
  func looks() async throws {
    try await withHostile { tool, path in
      let name = URL(fileURLWithPath: path).lastPathComponent
      let faults = try await PageJudge.faults(of: name, in: tool)
      #expect(faults == [])
    }
    try await withTool { tool in
      try await tool.bare(["import", Samples.file("users"), "-q"] + tool.place).expect(0)
      try await tool.run("migrate", "plan", "users-unify", "--html", "plan.html", "-q").expect(0)
      let faults = try await PageJudge.faults(of: "plan.html", in: tool)
      #expect(faults == [])
    }
  }

  @Test("What a person must decide comes first, with a link from its tile, and codes say what they mean.")
  func order() async throws {
    try await withTool { tool in
      try await tool.bare(["import", Samples.file("users"), "-q"] + tool.place).expect(0)
      try await tool.run("migrate", "plan", "users-unify", "--html", "plan.html", "-q").expect(0)
      let page = try tool.text("plan.html")
      let places = [
        "<a href=\"#review\">", "id=\"review\"", "id=\"rejects\"", "id=\"changes\"", "id=\"findings\"",
      ]
      .map { page.range(of: $0)?.lowerBound }
      let found = places.compactMap { $0 }
      #expect(found.count == places.count && found == found.sorted())
      let code = try #require(page.range(of: "<a href=\"#q=name-particle\">"))
      #expect(page[code.upperBound...].prefix(120).contains("<span class=\"soft\">"))
    }
  }

  // MARK: Cost

  @Test("A plan shows what applying it costs: documents and counts read, changes, deletions.")
  func cost() async throws {
    try await withMini(.withSamples(["users", "user_emails", "groups"])) { tool, _ in
      let plan = try await tool.run("migrate", "plan", "users-unify", "--json").summary()
      // 400 documents and a count; (401 · 0.06 + 264 · 0.18) / 100,000 = 0.00072, rounded up.
      #expect(plan.cost == Summary.Cost(reads: 401, writes: 264, deletes: 0, usd: 0.0008))
      let text = try await tool.run("migrate", "plan", "users-unify")
      #expect(
        text.output.hasSuffix(
          "\nTo apply it: 401 reads, 264 writes, 0 deletes: at most 0.01 USD (list prices of nam5, August 2026)\n"
        )
      )
      // 5 groups, a count of them, and a count of the members of each; a transaction asks again.
      let groups = try await tool.run("migrate", "apply", "groups-recount", "-n", "--json").summary()
      #expect(groups.cost?.reads == 22)
      // Only a plan is an estimate.
      let applied = try await tool.run("migrate", "apply", "users-unify", "--json").summary()
      #expect(applied.cost == nil)
    }
  }

  @Test("Prices come from the configuration; deletions are told apart from writes.")
  func prices() async throws {
    try await withTool { tool in
      try tool.write(
        "environments:\n  x: { project: p }\nprices: { reads: 100000, writes: 200000, deletes: 50000.5 }\n",
        to: "gymmigrate.yaml"
      )
      try await tool.load(["members/1": ["a": i(1)], "members/2": ["a": i(1)], "members/2/notes/n": [:]])
      let delete = ["delete", "members", "--all-documents", "--hard", "-n"]
      let text = try await tool.bare(delete + tool.place)
      // 2 documents, their count, and what is below each of them, with another look at the one that has something: once for the
      // bound, as one of them stays, and once to delete. The bound counts them, too: 13 USD, and 0.5 USD for 1 deletion.
      #expect(
        text.output.hasSuffix(
          "\nTo apply it: 13 reads, 0 writes, 1 delete: at most 13.51 USD (prices of gymmigrate.yaml)\n"
        )
      )
      let summary = try await tool.bare(delete + ["--json"] + tool.place).summary()
      #expect(summary.cost == Summary.Cost(reads: 13, writes: 0, deletes: 1, usd: 13.5001))
    }
  }
}
