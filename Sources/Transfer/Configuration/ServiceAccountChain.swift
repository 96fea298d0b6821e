/// The service account that other credentials impersonate, with the accounts that lead to it.
///
/// It is written as for gcloud's `--impersonate-service-account`: accounts separated by commas. The last one is the account
/// to impersonate; those before it are delegates, each of which has to be allowed to impersonate the next.
package struct ServiceAccountChain: Sendable, Equatable, CustomStringConvertible {
  /// The account to impersonate: an email address, or the unique ID in digits.
  package let account: String
  /// The delegates, in order.
  package let delegates: [String]

  /// What the text has to be, for errors.
  package static let expectation =
    "the email address of a service account, after its delegates if there are any, separated by commas"

  /// Parses `[DELEGATE,...]ACCOUNT`; returns nil if a part is not the name of an account.
  package init?(_ text: String) {
    var accounts = text.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).map {
      String(Substring($0))
    }
    guard accounts.allSatisfy(Self.isAccount), let account = accounts.popLast() else { return nil }
    self.account = account
    delegates = accounts
  }

  /// Creates a chain of accounts that have been checked.
  package init(_ account: String, delegates: [String]) {
    self.account = account
    self.delegates = delegates
  }

  package var description: String { (delegates + [account]).joined(separator: ",") }

  /// Whether a text is an email address or a unique ID that can be used unencoded in a URL.
  package static func isAccount(_ text: String) -> Bool {
    if !text.isEmpty, text.utf8.allSatisfy(\.isASCIIDigit) { return true }
    let parts = text.utf8.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
    guard parts.count == 2, text.utf8.count <= maximumBytes else { return false }
    return parts.allSatisfy { part in
      !part.isEmpty && part.allSatisfy { $0.isASCIILetterOrDigit || "-._".utf8.contains($0) }
    }
  }

  /// The maximum length of an email address (RFC 5321, section 4.5.3.1).
  private static let maximumBytes = 320
}
