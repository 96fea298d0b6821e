// swift-format-ignore-file
// As the page has it.
import FirestoreDocuments
import Foundation

func get(_ YOUR_RESPONSE_DATA: Data, _ decoder: JSONDecoder) throws {
  let getResult: Result<App, Error> = try decoder.decodeGetResult(from: YOUR_RESPONSE_DATA)
  switch getResult {
  case .success(let app):
    print(app)
  case .failure(let error):
    print(error)
  }
}
