import FirestoreModels
import Foundation
import GymModels
import Runs
import TestSupport
import Testing

@testable import GymMigrations
@testable import MigrationEngine

@Suite struct ReviewFileTests {
  private static let header =
    "document,migration,code,field,found,fullName,firstName,paternalLastName,maternalLastName,decision,message"
  private static let row = "users/u1,users-unify,name-particle,fullName,Juan de la Cruz,,Juan,de la Cruz,,,y"

  private func read(_ text: String) async throws -> NameReview {
    try await withTemporaryDirectory { folder in
      let path = folder.appendingPathComponent("review.csv").path
      try Data(text.utf8).write(to: URL(fileURLWithPath: path))
      return try ReviewFile.read(path)
    }
  }

  private func decision(_ review: NameReview, _ path: String = "users/u1") throws -> NameReview.Decision {
    let path = try #require(DocumentPath(path))
    return try #require(review.decisions[path])
  }

  @Test(
    arguments: [
      "\(header)\n\(row)", "\u{FEFF}\(header)\r\n\(row)\r\n", "\(header)\r\(row)\r",
      "\(header)\n\n\(row)\n,,,,,,,,,,\n", "\(header),\n\(row),,\n",
      "\(header)\n\(row)\n".replacing(",", with: ";"), "\(header)\n\(row)\n".replacing(",", with: "\t"),
      "code,document,migration,found,firstName,paternalLastName\n"
        + "name-particle,users/u1,users-unify,Juan de la Cruz,  Juan,\"de la \n Cruz\"",
    ]
  )
  func asSpreadsheetsSaveIt(text: String) async throws {
    let review = try await read(text)
    #expect(review.decisions.count == 1)
    let decision = try decision(review)
    #expect(decision.found == "Juan de la Cruz")
    #expect(decision.texts == [.firstName: "Juan", .paternalLastName: "de la Cruz"])
  }

  @Test func passesOverWhatIsNoName() async throws {
    let review = try await read(
      """
      \(Self.header)
      users/u1,users-unify,active-disagrees,isActive,{},,,,,,y
      user_emails/a@b,user-emails,entry-orphan-no-user,primaryUserId,,,,,,,y
      users/u2,members-link,match-ambiguous,linkedMemberId,{},,,,,,y
      users/u3,users-unify,name-one-word,fullName,Ana,, ,,,,y
      \(Self.row)
      """
    )
    #expect(review.decisions.keys.map(\.string) == ["users/u1"])
    #expect(try decision(review).label == "line 6")
  }

  @Test(
    arguments: [
      ("", "it is empty"), ("\n\n", "it is empty"), ("a,b\n", "line 1, column 1: there is no column 'a'"),
      ("document,document\n", "line 1, column 2: 'document' is there twice"),
      ("document,migration,code,firstName\n", "line 1: the column 'found' is missing"),
      ("document,migration,code,found\n", "line 1: there is no column of a name"),
      ("\(header)\n\(row)\n\n\(row)", "line 4: users/u1 is decided in line 2 already"),
      (
        "\(header)\n\(row),,y",
        "line 2, column 13: expected nothing: the row has 13 cells, and the header 11"
      ),
      // An unquoted comma in a name shifts an empty last cell.
      (
        "\(header)\n\(row)\nusers/u2,users-unify,name-particle,fullName,x,Solís, Ana,Ana,Solís,,,",
        "line 3, column 12: expected no cell, also no empty one: the row has 12 cells"
      ),
      (
        "\(header.replacing("message", with: ""))\n\(row)",
        "line 2, column 11: expected nothing: the column has no heading"
      ),
      (
        "\(header)\nmembers/m,users-unify,name-particle,,x,,a,b,,,",
        "line 2, column 1 (document): it is no document of users"
      ),
      (
        "\(header)\nusers,users-unify,name-particle,,x,,a,b,,,",
        "line 2, column 1 (document): it is no document of users"
      ),
      (
        "\(header)\nusers/u,users-unify,name-particel,,x,,a,b,,,",
        "line 2, column 3 (code): users-unify has no such code"
      ),
      (
        "\(header)\nusers/u,users-unfy,name-particle,,x,,a,b,,,",
        "line 2, column 2 (migration): there is no such migration"
      ),
      (
        "\(header)\nusers/u,\"users\"-unify,,,,,,,,,",
        "line 2, column 2: there is text after the closing quote"
      ),
      (
        "\(header)\nusers/u,users-unify,name-one-word,,Ana,,Ana, #¿NOMBRE? ,,,",
        "line 2, column 8 (paternalLastName): the cell is an error of the spreadsheet"
      ),
      ("\(header)\nusers/u,users-unify,\"x", "line 2, column 3: the quote that opens here is never closed"),
    ]
  )
  func malformed(text: String, cause: String) async throws {
    let failure = await #expect(throws: Failure.self) { try await read(text) }
    #expect(failure?.kind == .inputMalformed)
    #expect(failure?.cause.hasPrefix(cause) == true, "\(failure?.cause ?? "")")
  }

  @Test(
    "A mark takes the row as it stands, or leaves it open though it was changed",
    arguments: [
      ("x", true), (" X", true), ("Sí", true), ("OK", true), ("aceptar", true), ("", false), (" ", false),
    ]
  )
  func marks(_ mark: String, isMarked: Bool) async throws {
    let row = Self.row.replacing(",,,y", with: ",,\(mark),y")
    #expect(try decision(await read("\(Self.header)\n\(row)")).isMarked == isMarked)
  }

  @Test(arguments: ["no", "NO", "omitir", "skip"]) func leavesOpen(_ mark: String) async throws {
    let row = Self.row.replacing(",,,y", with: ",,\(mark),y")
    #expect(try await read("\(Self.header)\n\(row)").decisions.isEmpty)
    let error = row.replacing(",de la Cruz,", with: ",#N/A,")
    #expect(try await read("\(Self.header)\n\(error)").decisions.isEmpty)
  }

  @Test(
    "A word of the listed name is no error of a spreadsheet, though it reads like one",
    arguments: ["#N/A López", "\"{\"\"fullName\"\":\"\"#N/A López\"\",\"\"nombre\"\":\"\"#N/A\"\"}\""]
  )
  func readsLikeAnError(_ found: String) async throws {
    let row = "users/u1,users-unify,name-unusual,fullName,\(found),,#N/A,López,,,y"
    let decision = try decision(await read("\(Self.header)\n\(row)"))
    #expect(decision.texts == [.firstName: "#N/A", .paternalLastName: "López"])
    let edited = row.replacing(",López,", with: ",#REF!,")
    let failure = await #expect(throws: Failure.self) { try await read("\(Self.header)\n\(edited)") }
    #expect(failure?.cause.hasPrefix("line 2, column 8 (paternalLastName)") == true)
  }

  @Test func aMarkThatSaysNothingIsRefused() async throws {
    let row = Self.row.replacing(",,,y", with: ",,maybe,y")
    let failure = await #expect(throws: Failure.self) { try await read("\(Self.header)\n\(row)") }
    #expect(failure?.kind == .inputMalformed)
    let cause = "line 2, column 10 (decision): write x to take the row"
    #expect(failure?.cause.hasPrefix(cause) == true, "\(failure?.cause ?? "")")
  }

  @Test func aMarkBesideNoNameTakesNothing() async throws {
    let row = "users/u2,users-unify,name-one-word,fullName,Ana,,,,,x,y"
    let review = try await read("\(Self.header)\n\(row)\n\(Self.row)")
    #expect(review.decisions.keys.map(\.string) == ["users/u1"])
    #expect(
      review.notices.count { $0.hasSuffix("without a name that could be taken, which stay open: 1.") } == 1
    )
  }

  @Test func aMarkOfWhatIsNoNameIsTold() async throws {
    let rows = [
      "users/u1,users-unify,active-disagrees,isActive,{},,,,,x,y",
      "user_emails/a@b,user-emails,entry-orphan-no-user,primaryUserId,,,,,,OK,y",
      "user_emails/c@b,user-emails,entry-orphan-no-user,primaryUserId,,,,,,no,y",
    ]
    let review = try await read(([Self.header] + rows + [Self.row]).joined(separator: "\n"))
    #expect(review.notices.count { $0.hasSuffix("which a review does not decide: 2.") } == 1)
    let other = try await read("\(Self.header)\n\(Self.row)")
    #expect(!other.notices.contains { $0.contains("does not decide") })
  }

  @Test func whatIsMissingIsTold() throws {
    let failure = #expect(throws: Failure.self) { try ReviewFile.read("there/is/none.csv") }
    #expect(failure?.kind == .inputMissing)
  }

  @Test func rowsMayComeFromElsewhere() throws {
    var rows = [
      ["code", "document", "migration", "found", "fullName"], ["name-missing", "users/u", "users-unify"],
    ][...]
    rows.append(["name-missing", "users/v", "users-unify", "", "Ana"])
    var number = 0
    let review = try ReviewFile.read("review.xlsx") { () throws(Failure) in
      number += 1
      return rows.popFirst().map { ReviewRow(label: "row \(number)", cells: $0) }
    }
    #expect(try decision(review, "users/v").label == "row 3" && review.decisions.count == 1)
  }

  /// What the tool lists comes back through Python's csv module as it was, formulas, quotes and line breaks included.
  @Test(arguments: [",", ";", "\t"]) func comesBackThroughPython(delimiter: String) async throws {
    let names = ["=1+1 de la Cruz", "'-x de \"Y\"\nZ", "@x de, la; la \tCruz", "'de la Cruz", "\tde la Cruz"]
    try await withTemporaryDirectory { folder in
      let run = try RunDirectory(in: folder.path, command: "migrate")
      let lists = FindingLists(run, proposing: ReviewFile.proposed)
      var documents: [RawDocument] = []
      for (number, name) in names.enumerated() {
        let read = try document("users/=u\(number)", texts(["fullName": name]))
        documents.append(read)
        for finding in UsersUnify().outcome(for: read).findings {
          try lists.add([finding], of: "users-unify", document: read)
        }
      }
      let edited = folder.appendingPathComponent("edited.csv").path
      let script = """
        import csv, sys
        with open(sys.argv[1], encoding="utf-8-sig", newline="") as file: rows = list(csv.DictReader(file))
        for row in rows: row["maternalLastName"] = "Corregido"
        with open(sys.argv[2], "w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, rows[0].keys(), delimiter=sys.argv[3])
            writer.writeheader()
            writer.writerows(rows)
        """
      let python = try await BinaryRunner(executable: "/usr/bin/env").run(
        ["python3", "-c", script, run.file("review.csv"), edited, delimiter]
      )
      try #require(python.exitCode == 0, "\(python.errors)")
      let review = try ReviewFile.read(edited)
      #expect(review.decisions.count == names.count)
      for document in documents {
        let decision = try #require(review.decisions[document.path])
        #expect(decision.found.isIdentical(to: document.fields["fullName"]?.string ?? ""))
        #expect(decision.texts[.maternalLastName] == "Corregido")
        let outcome = UsersUnify(review: review).outcome(for: document)
        #expect(outcome.change?.after?["maternalLastName"] == .string("Corregido"))
        #expect(!outcome.findings.contains { $0.code == "review-stale" })
      }
    }
  }
}
