import Foundation

/// What a message for people may not hold, whatever it says.
enum Wording {
  private static let nouns =
    "documents|references|requests|retries|runs|rows|collections|fields|files|findings|changes|columns|values|writes|"
    + "reads|deletes|entries|classes|bookings|members|users|groups|lines|tables|sheets|others|seconds|minutes|hours|days"

  private static let rules: [(name: String, pattern: String)] = [
    ("one thing in the plural", "(?<![\\d.,:/-])1 (\(nouns))\\b(?!/)"),
    ("digits that are not grouped", "(?<![\\d.,:/TZ-])[0-9]{4,} (\(nouns))\\b"),
    ("a template without its value", "^error: cannot [a-z ]+ (none|nil|null|-|) ?: "),
    ("a value of the language", "\\bOptional\\(|\\bnil\\b"),
    ("a space before a colon", "[a-z] : "),
    ("another style of error", "^(Error|ERROR|fatal|Usage): |^error: [A-Z][a-z]"),
    ("an error without a period", "^error: (?!cannot).*[^.?]$"),
    ("a word that only we know", "\\bIncomplete in\\b"),
  ]

  /// What is wrong with the lines of standard error, each with its line.
  static func faults(in errors: String) -> [String] {
    errors.split(separator: "\n").flatMap { line in
      rules.compactMap { rule in
        String(line).range(of: rule.pattern, options: .regularExpression) == nil
          ? nil : "\(rule.name): \(line)"
      }
    }
  }
}
