import FirestoreDataStore
import Foundation
import Response

/// Code as other pages show it, each block in a file of its own: `Snippets http://127.0.0.1:8080`.
@main
struct Snippets {
  /// The first document of the page's response, as `documents.get` sends it.
  static func document() throws -> Data {
    let list = try JSONSerialization.jsonObject(with: Data(response.utf8)) as? [String: [Any]]
    return try JSONSerialization.data(withJSONObject: list?["documents"]?.first ?? [:])
  }

  static func main() async throws {
    guard CommandLine.arguments.count == 2 else {
      print("usage: Snippets ENDPOINT")
      return
    }
    try get(document(), makeDecoder())
    try list(Data(response.utf8), makeDecoder())
    let error = #"{"error": {"code": 404, "message": "Gone.", "status": "NOT_FOUND"}}"#
    try list(Data(error.utf8), makeDecoder())
    let answer: Result<App, Error> = try makeDecoder().decodeGetResult(from: document())
    let app = try answer.get()
    for line in read(app) { print(line) }
    let created: Date = app.createTime
    print(created.timeIntervalSince1970)
    let draft = change(app.fields)
    print(draft.index, draft.iconURL?.lastPathComponent ?? "none", draft.allowsContactMessages)

    FirestoreConnection.use(
      try FirestoreConnection(project: "orchard-5f21", endpoint: CommandLine.arguments[1])
    )
    let service = MenuService(menuCache: MenuCache())
    service.createNewMenuItem(name: "Lunch", price: 12.5)
    for try await change in menuStore.streamAll(every: .milliseconds(10)) {
      guard case .added(let menu) = change else { break }
      print(menu.name, menu.price)
      try await menuStore.delete(id: menu.id)
      print("left:", try await menuStore.get(id: menu.id.uuidString)?.name ?? "nothing")
      break
    }
  }
}
