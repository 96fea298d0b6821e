// swift-format-ignore-file
// As the page has it, but for the cases of `Code`, for which it has "...".
import Foundation

public struct Error: LocalizedError, Decodable {

  public let code: Int
  public let message: String
  public let status: String
}

extension Error {

  /// @see: https://firebase.google.com/docs/reference/swift/firebasefirestore/api/reference/Enums/FirestoreErrorCode
  public enum Code: Int { case notFound = 5 }
}
