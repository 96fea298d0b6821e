import FirestoreModels

/// Reads the service's error bodies: an object for unary methods, an array of one for streamed ones, a web page of
/// a proxy in between.
enum ErrorBody {
  /// The error of an answer whose code is not 200.
  static func read(_ response: HTTPResponse, with parser: JSONParser) -> FirestoreError {
    let retryAfter = response.headers["retry-after"].flatMap { Double($0) }
    var found: FirestoreError?
    do throws(WireError) {
      found = try parser.parse(response.body) { root throws(WireError) in
        let object = root.kind == .array ? root.elements.first { $0["error"] != nil } : root
        return object?["error"].flatMap { read($0, httpCode: response.status) }
      }
    } catch {
      // Not JSON: the HTTP code has to do.
    }
    var error =
      found
      ?? FirestoreError(
        FirestoreError.Status(httpCode: response.status),
        "the answer has no Firestore error in it",
        code: response.status,
        isFromService: false
      )
    if error.retryDelay == nil { error.retryDelay = retryAfter }
    return error
  }

  /// The value of an `error` member, also inside a stream of code 200; nil where it is no error object.
  static func read(_ json: JSONCursor, httpCode: Int?) -> FirestoreError? {
    guard json.kind == .object else { return nil }
    let code = json["code"]?.integer.flatMap { Int(exactly: $0) } ?? httpCode ?? 500
    let status =
      json["status"]?.string.flatMap { FirestoreError.Status(name: $0) }
      ?? FirestoreError.Status(httpCode: code)
    let message = json["message"]?.string.map(ForeignText.cleaned)
    var error = FirestoreError(status, message ?? status.name, code: code)
    guard let details = json["details"] else { return error }
    for detail in details.elements {
      let type = detail["@type"]?.string ?? ""
      if type.hasSuffix("google.rpc.ErrorInfo") { error.reason = detail["reason"]?.string }
      if type.hasSuffix("google.rpc.RetryInfo"), let delay = detail["retryDelay"]?.string,
        delay.hasSuffix("s")
      {
        error.retryDelay = Double(delay.dropLast())
      }
    }
    return error
  }
}
