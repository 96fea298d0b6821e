import FirestoreDataStore
import FirestoreModels
import FirestoreREST
import Foundation
import Testing
import TypedDocuments

@Suite("A typed store of one collection", .timeLimit(.minutes(2)))
struct DataStoreTests {
  @Test func upsertAndGet() async throws {
    try await StoreFixture.open { fixture in
      let missing = try await fixture.menus.get(id: "lunch")
      #expect(missing == nil)
      let lunch = Menu(id: "lunch", name: "Lunch", price: 12, note: "daily", stock: .init(portions: 3))
      #expect(try await fixture.menus.upsert(lunch) == "lunch")
      #expect(try await fixture.menus.get(id: "lunch") == lunch)
      let expected: FieldMap = [
        "id": .string("lunch"), "name": .string("Lunch"), "price": .double(12), "note": .string("daily"),
        "stock": .map(["portions": .integer(3)]),
      ]
      #expect(try await fixture.fields("menus/lunch") == expected)
    }
  }

  @Test("An upsert leaves the fields that the type does not know, and deletes those that are nil.")
  func unknownFields() async throws {
    try await StoreFixture.open { fixture in
      try await fixture.put(
        "menus/lunch",
        [
          "id": .string("lunch"), "name": .string("Lunch"), "price": .double(12), "note": .string("daily"),
          "chef": .map(["name": .string("Noor")]), "a.b": .integer(7),
          "stock": .map(["portions": .integer(3), "room": .string("cellar")]),
        ]
      )
      var lunch = try #require(try await fixture.menus.get(id: "lunch"))
      lunch.price = 13
      lunch.note = nil
      try await fixture.menus.upsert(lunch)
      let expected: FieldMap = [
        "id": .string("lunch"), "name": .string("Lunch"), "price": .double(13),
        "chef": .map(["name": .string("Noor")]), "a.b": .integer(7),
        // A field is replaced with all that is in it.
        "stock": .map(["portions": .integer(3)]),
      ]
      #expect(try await fixture.fields("menus/lunch") == expected)

      lunch.price = 14
      #expect(try await fixture.menus.upsert(contentsOf: [lunch]) == 1)
      #expect(try await fixture.fields("menus/lunch")?["chef"] != nil)
      #expect(try await fixture.fields("menus/lunch")?["price"] == .double(14))
    }
  }

  @Test("A thousand documents are written in commits, and read over pages.", arguments: [300, 70, 1000])
  func manyDocuments(pageSize: Int) async throws {
    try await StoreFixture.open(pageSize: pageSize) { fixture in
      let menus = (0..<1000).map { Menu(id: String(format: "m%04d", $0), name: "M", price: Double($0)) }
      #expect(try await fixture.menus.upsert(contentsOf: menus.shuffled()) == 1000)
      var read: [Menu] = []
      for try await menu in fixture.menus.list() { read.append(menu) }
      #expect(read == menus)
      // A second reading begins anew, and may end early.
      let list = fixture.menus.list()
      for try await menu in list {
        #expect(menu == menus[0])
        break
      }
    }
  }

  @Test func sameIDTwice() async throws {
    try await StoreFixture.open { fixture in
      let menus = (0..<50).map { Menu(id: "m", name: "M", price: Double($0)) }
      let count = try await fixture.menus.upsert(contentsOf: menus)
      #expect(count == 50)
      #expect(try await fixture.menus.get(id: "m")?.price == 49)
    }
  }

  @Test func delete() async throws {
    try await StoreFixture.open { fixture in
      try await fixture.menus.upsert(contentsOf: ["a", "b"].map { Menu(id: $0, name: $0, price: 1) })
      try await fixture.menus.delete(id: "a")
      try await fixture.menus.delete(id: "never there")
      var ids: [String] = []
      for try await menu in fixture.menus.list() { ids.append(menu.id) }
      #expect(ids == ["b"])
    }
  }

  @Test("Deleting all documents counts them, and leaves other collections and subcollections.")
  func deleteAll() async throws {
    try await StoreFixture.open(pageSize: 100) { fixture in
      let menus = (0..<1000).map { Menu(id: "m\($0)", name: "M", price: 1) }
      try await fixture.menus.upsert(contentsOf: menus)
      // It need not be of the type.
      try await fixture.put("menus/other", ["x": .integer(1)])
      try await fixture.put("menus/m1/dishes/d1", ["x": .integer(1)])
      try await fixture.put("menus2/m1", ["x": .integer(1)])
      #expect(try await fixture.menus.deleteAllDocuments() == 1001)
      for try await menu in fixture.menus.list() { Issue.record("\(menu.id) is still there") }
      #expect(try await fixture.fields("menus/m1/dishes/d1") != nil)
      #expect(try await fixture.fields("menus2/m1") != nil)
      #expect(try await fixture.menus.deleteAllDocuments() == 0)
    }
  }

  @Test("A document ID may be a @DocumentID, which is no field, or a UUID.")
  func identifiers() async throws {
    struct Guest: Codable, Sendable, Identifiable {
      @DocumentID var id: String?
      var name: String
    }
    struct Ticket: Codable, Sendable, Identifiable {
      var id: UUID
    }
    try await StoreFixture.open { fixture in
      let guests = try FirestoreDataStore<Guest>(collection: "rooms/r1/guests", in: fixture.connection)
      let id = try await guests.upsert(Guest(name: "Noor"))
      #expect(id.wholeMatch(of: /[A-Za-z0-9]{20}/) != nil)
      #expect(try await fixture.fields("rooms/r1/guests/\(id)") == ["name": .string("Noor")])
      var guest = try #require(try await guests.get(id: id))
      #expect(guest.id == id)
      guest.name = "Noor B."
      #expect(try await guests.upsert(guest) == id)
      #expect(try await guests.get(id: id)?.name == "Noor B.")

      let tickets = try FirestoreDataStore<Ticket>(collection: "tickets", in: fixture.connection)
      let ticket = Ticket(id: UUID())
      #expect(try await tickets.upsert(ticket) == ticket.id.uuidString)
      #expect(try await tickets.get(id: ticket.id.uuidString)?.id == ticket.id)
    }
  }

  @Test("A value whose id is not the document's is refused: written, it would be another document.")
  func otherIDs() async throws {
    struct Thing: Codable, Sendable, Identifiable {
      var id: UUID
    }
    struct Note: Codable, Sendable, Identifiable {
      var id: String?
      var text: String
    }
    func fails<T>(_ store: FirestoreDataStore<T>, _ id: String) async throws {
      func failure(_ read: () async throws -> Void) async throws -> DocumentFailure? {
        do {
          try await read()
          return nil
        } catch let failure as DocumentFailure {
          return failure
        }
      }
      let refused = try await failure { _ = try await store.get(id: id) }
      #expect(refused?.name?.hasSuffix("/\(store.collection)/\(id)") == true)
      #expect(refused?.location == ["id"])
      let (list, stream) = (store.list(), store.streamAll(every: .zero))
      #expect(try await failure { for try await _ in list {} } != nil)
      #expect(try await failure { for try await _ in stream {} } != nil)
    }
    try await StoreFixture.open { fixture in
      let lunch: FieldMap = ["id": .string("dinner"), "name": .string("Lunch"), "price": .double(1)]
      try await fixture.put("menus/lunch", lunch)
      try await fails(fixture.menus, "lunch")
      let things = try FirestoreDataStore<Thing>(collection: "things", in: fixture.connection)
      let id = "e621e1f8-c36c-495a-93fc-0c247a3e6e5f"
      try await fixture.put("things/\(id)", ["id": .string(id)])
      try await fails(things, id)
      try await fixture.put("things/\(id)", ["id": .string(id.uppercased())])
      try await fails(things, id)

      let notes = try FirestoreDataStore<Note>(collection: "notes", in: fixture.connection)
      let error = await #expect(throws: FirestoreError.self) { try await notes.upsert(Note(text: "a")) }
      #expect(error?.status == .invalidArgument)
      await #expect(throws: FirestoreError.self) { try await notes.upsert(contentsOf: [Note(text: "a")]) }
      #expect(try await fixture.client.count(CollectionRead(notes.collection)).count == 0)
      #expect(try await notes.upsert(Note(id: "n", text: "a")) == "n")
      #expect(try await notes.get(id: "n")?.text == "a")
      try await fixture.put("notes/m", ["text": .string("b")])
      try await fails(notes, "m")
    }
  }

  @Test("IDs are compared as bytes.")
  func otherComposition() async throws {
    try await StoreFixture.open { fixture in
      try await fixture.put(
        "menus/\u{E9}",
        ["id": .string("e\u{301}"), "name": .string("M"), "price": .double(1)]
      )
      await #expect(throws: DocumentFailure.self) { try await fixture.menus.get(id: "\u{E9}") }
    }
  }

  @Test("Several tasks use one store at once.")
  func concurrency() async throws {
    try await StoreFixture.open { fixture in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<50 {
          group.addTask {
            try await fixture.menus.upsert(Menu(id: "m\(number)", name: "M", price: 1))
          }
        }
        try await group.waitForAll()
      }
      #expect(try await fixture.client.count(CollectionRead(fixture.menus.collection)).count == 50)
    }
  }
}
