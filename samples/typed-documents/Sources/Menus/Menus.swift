import FirestoreDataStore

/// A document of `menus`.
struct Menu: Codable, Sendable, Identifiable, Equatable {
  var id: String
  var name: String
  var price: Double
  var note: String?
}

/// The same documents, by an earlier release that knew fewer fields.
struct OldMenu: Codable, Sendable, Identifiable {
  var id: String
  var name: String
}

/// A document of `guests`, which does not have its ID as a field.
struct Guest: Codable, Sendable, Identifiable {
  @DocumentID var id: String?
  var name: String
}

/// Writes, reads and watches menus at an endpoint: `Menus http://127.0.0.1:8080`.
@main
struct Menus {
  static func main() async throws {
    guard CommandLine.arguments.count == 2 else {
      print("usage: Menus ENDPOINT")
      return
    }
    let connection = try FirestoreConnection(project: "orchard-5f21", endpoint: CommandLine.arguments[1])
    let menus = try FirestoreDataStore<Menu>(collection: "menus", in: connection)
    try await menus.deleteAllDocuments()

    let many = (1...250).map { number in
      Menu(id: "menu-\(number)", name: "Menu \(number)", price: Double(number))
    }
    print("written:", try await menus.upsert(contentsOf: many))
    var sum = 0.0
    for try await menu in menus.list() { sum += menu.price }
    print("sum of the prices:", sum)

    try await menus.upsert(Menu(id: "lunch", name: "Lunch", price: 12.5, note: "without drinks"))
    let old = try FirestoreDataStore<OldMenu>(collection: "menus", in: connection)
    if var lunch = try await old.get(id: "lunch") {
      lunch.name = "Long lunch"
      try await old.upsert(lunch)
    }
    if let lunch = try await menus.get(id: "lunch") {
      print(lunch.name, lunch.price, lunch.note ?? "no note")
    }
    try await old.upsert(OldMenu(id: "brunch", name: "Brunch"))
    do {
      for try await _ in menus.list() {}
    } catch let failure as DocumentFailure {
      print(failure.location, failure.reason)
    }
    print("deleted:", try await menus.deleteAllDocuments())

    let guests = try FirestoreDataStore<Guest>(collection: "guests", in: connection)
    let id = try await guests.upsert(Guest(name: "Nadia"))
    print("a new ID has", id.count, "characters:", try await guests.get(id: id)?.id == id)
    try await guests.deleteAllDocuments()

    try await watch(menus)
    do {
      _ = try await menus.get(id: "a/b")
    } catch let error as FirestoreError {
      print(error.errorDescription ?? "")
    }
  }

  static func watch(_ menus: FirestoreDataStore<Menu>) async throws {
    try await menus.upsert(Menu(id: "tea", name: "Tea", price: 4))
    var changes = menus.streamAll(every: .milliseconds(10)).makeAsyncIterator()
    print(try await changes.next().map(text) ?? "ended")
    try await menus.upsert(Menu(id: "tea", name: "Tea", price: 5))
    print(try await changes.next().map(text) ?? "ended")
    try await menus.delete(id: "tea")
    print(try await changes.next().map(text) ?? "ended")
  }

  static func text(_ change: DocumentChange<Menu>) -> String {
    switch change {
    case .added(let menu): "added \(menu.name) at \(menu.price)"
    case .modified(let menu): "modified \(menu.name) at \(menu.price)"
    case .removed(let id): "removed \(id)"
    }
  }
}
