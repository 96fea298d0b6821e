// swift-format-ignore-file
// As the page has it.
import FirestoreDocuments
import Foundation

public struct Document<Fields>: DocumentType where Fields: Decodable {

  public let name: String
  public let fields: Fields
  public let createTime: Date
  public let updateTime: Date
}
