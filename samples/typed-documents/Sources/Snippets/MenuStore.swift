// swift-format-ignore-file
// As the page has it.
import FirestoreDataStore
import Foundation

#if canImport(Combine)
  import Combine
#endif

// 1. FirestoreDataStore usage
let menuStore = FirestoreDataStore<Menu>(collectionName: "menus")

// 2. Cache with Firebase coordination
class MenuCache: ObservableObject {
    @Published var items: [Menu] = []

    func addOrUpdateMenu(_ menu: Menu, updateFirebase: Bool = true) {
        // Update local cache
        if let index = items.firstIndex(where: { $0.id == menu.id }) {
            items[index] = menu
        } else {
            items.append(menu)
        }

        // Update Firebase if requested
        if updateFirebase {
            Task {
                do {
                    let store = FirestoreDataStore<Menu>(collectionName: "menus")
                    try await store.upsert(menu)
                } catch {
                    print("Firebase update failed: \(error)")
                }
            }
        }
    }
}

// 3. Service layer for business logic
class MenuService {
    private let menuCache: MenuCache

    init(menuCache: MenuCache) {
        self.menuCache = menuCache
    }

    func createNewMenuItem(name: String, price: Double) {
        let menu = Menu(id: UUID(), name: name, price: price)
        menuCache.addOrUpdateMenu(menu)
    }
}
