// swift-format-ignore-file
// As the page has it.
import FirestoreDocuments
import Foundation

func list(_ YOUR_RESPONSE_DATA: Data, _ decoder: JSONDecoder) throws {
  let listResult: Result<[App], Error> = try decoder.decodeListResult(from: YOUR_RESPONSE_DATA)
  switch listResult {
  case .success(let apps):
    print(apps)
  case .failure(let error):
    print(error)
  }
}
