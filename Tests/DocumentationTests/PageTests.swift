import Foundation
import GymMigrations
import MigrationEngine
import Testing

@testable import Integrity

/// The pages among themselves.
@Suite struct PageTests {
  @Test(arguments: Page.all) func relativeLinksLeadSomewhere(_ path: String) throws {
    let page = try Page(path)
    let folder = Page.root.appendingPathComponent(path).deletingLastPathComponent()
    for (number, target) in page.relativeLinks {
      let parts = target.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).map(
        String.init
      )
      let file =
        parts[0].isEmpty ? Page.root.appendingPathComponent(path) : folder.appendingPathComponent(parts[0])
      let isThere = FileManager.default.fileExists(atPath: file.path)
      #expect(isThere, "\(path), line \(number): there is no \(target)")
      guard isThere, parts.count == 2, file.pathExtension == "md" else { continue }
      let root = Page.root.standardizedFileURL.path + "/"
      let there = try Page(String(file.standardizedFileURL.path.dropFirst(root.count)))
      #expect(there.anchors.contains(parts[1]), "\(path), line \(number): no heading makes \(target)")
    }
  }

  @Test func everyPageIsInTheIndex() throws {
    let index = Set(try Page("docs/README.md").relativeLinks.map { "docs/\($0.target)" })
    for path in Page.all where path.hasPrefix("docs/") && path != "docs/README.md" {
      #expect(index.contains(path), "docs/README.md does not lead to \(path)")
    }
  }

  @Test(arguments: Page.all) func noPathOfOneMachine(_ path: String) throws {
    for (index, line) in try Page(path).lines.enumerated() {
      let found = line.firstMatch(of: /(?:^|[\s`"'(=])(\/(?:work|tmp|root|home|Users|opt|var)\/\S*)/)
      #expect(found == nil, "\(path), line \(index + 1): \(found?.output.1 ?? "")")
    }
  }

  @Test func everyRuleIsExplained() throws {
    let text = try Page("docs/check.md").lines.joined(separator: "\n")
    #expect(IntegrityCheck.rules(GymRules()).map(\.name).filter { !text.contains("| `\($0)` |") } == [])
  }

  @Test func everyCodeIsExplained() throws {
    func missing(_ words: [String], on page: String, in folder: String = "docs/migrations") throws -> [String]
    {
      let text = try Page("\(folder)/\(page).md").lines.joined(separator: "\n")
      return words.filter { !text.contains("`\($0)`") }
    }
    let users = UsersUnify.Code.allCases.map(\.rawValue) + UsersUnify.Reason.allCases.map(\.rawValue)
    #expect(try missing(users, on: "users-unify") == [])
    let emails = UserEmails.Code.allCases.map(\.rawValue) + UserEmails.Reason.allCases.map(\.rawValue)
    #expect(try missing(emails, on: "user-emails") == [])
    let reasons: [UsersUnify.Reason] = [.isActiveDefault, .isActiveFromActivo]
    let active = reasons.map(\.rawValue) + IsActive().reads.map { "\($0)" }
    #expect(try missing(active, on: "is-active") == [])
    let ids =
      DocumentIDs.Code.allCases.map(\.rawValue) + DocumentIDs.Reason.allCases.map(\.rawValue)
      + DocumentIDs().reads.map { "\($0)" }
    #expect(try missing(ids, on: "ids") == [])
    let links = MembersLink.Code.allCases.map(\.rawValue) + MembersLink.Reason.allCases.map(\.rawValue)
    #expect(try missing(links, on: "members-link") == [])
    let snapshots =
      SnapshotBackfill.Code.allCases.map(\.rawValue) + SnapshotBackfill.Reason.allCases.map(\.rawValue)
    #expect(try missing(snapshots, on: "snapshot-backfill") == [])
    let groups = GroupsRecount.Code.allCases.map(\.rawValue) + GroupsRecount.Reason.allCases.map(\.rawValue)
    #expect(try missing(groups, on: "groups-recount") == [])
    let legacy =
      UsersDropLegacy.Code.allCases.map(\.rawValue) + UsersDropLegacy.Reason.allCases.map(\.rawValue)
    #expect(try missing(legacy, on: "users-drop-legacy") == [])
    #expect(try missing(MigrationLint.Code.allCases.map(\.rawValue), on: "promoting", in: "docs") == [])
    let codes = DeclarativeMigration.Code.allCases.map(\.rawValue)
    #expect(try missing(codes, on: "fix", in: "docs") == [])
  }

  @Test func everyMigrationHasAPage() throws {
    for migration in MigrationCatalogue.known() {
      #expect(Page.all.contains("docs/migrations/\(migration.id).md"), "\(migration.id) has no page")
    }
  }
}
