import FirestoreDataStore
import Foundation

/// Code as other pages show it, each block in a file of its own: `Snippets http://127.0.0.1:8080`.
@main
struct Snippets {
  static let document = """
    {
      "createTime": "2019-11-26T09:13:39.969797Z",
      "fields": {
        "allowsContactMessages": { "booleanValue": false },
        "iconURL": { "stringValue": "https://example.org/icons/3155001.png" },
        "identifier": { "stringValue": "3155001" },
        "index": { "integerValue": "4" },
        "displayName": { "stringValue": "Lantern Atlas" }
      },
      "name": "projects/orchard-5f21/databases/(default)/documents/apps/3155001",
      "updateTime": "2019-11-27T06:11:57.268984Z"
    }
    """

  static func main() async throws {
    guard CommandLine.arguments.count == 2 else {
      print("usage: Snippets ENDPOINT")
      return
    }
    try get(Data(document.utf8), makeDecoder())
    try list(Data("{\"documents\": [\(document)]}".utf8), makeDecoder())
    try list(
      Data(#"{"error": {"code": 404, "message": "Gone.", "status": "NOT_FOUND"}}"#.utf8),
      makeDecoder()
    )
    let answer: Result<App, Error> = try makeDecoder().decodeGetResult(from: Data(document.utf8))
    print(read(try answer.get()))
    var draft: FieldsOnlyDocument<AppFields> = FieldsOnlyDocument(try answer.get())
    change(&draft)
    print(draft.index, draft.allowsContactMessages)

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
