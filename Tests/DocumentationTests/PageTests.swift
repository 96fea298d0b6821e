import Foundation
import Migrations
import Testing

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

  @Test func everyCodeIsExplained() throws {
    func text(_ page: String) throws -> String {
      try Page("docs/migrations/\(page).md").lines.joined(separator: "\n")
    }
    let users = try text("users-unify")
    for code in UsersUnify.Code.allCases { #expect(users.contains("`\(code.rawValue)`")) }
    for reason in UsersUnify.Reason.allCases { #expect(users.contains("`\(reason.rawValue)`")) }
    let emails = try text("user-emails")
    for code in UserEmails.Code.allCases { #expect(emails.contains("`\(code.rawValue)`")) }
    for reason in UserEmails.Reason.allCases { #expect(emails.contains("`\(reason.rawValue)`")) }
    let active = try text("is-active")
    for reason in [UsersUnify.Reason.isActiveDefault, .isActiveFromActivo] {
      #expect(active.contains("`\(reason.rawValue)`"))
    }
    for collection in IsActive().reads { #expect(active.contains("`\(collection)`")) }
  }
}
