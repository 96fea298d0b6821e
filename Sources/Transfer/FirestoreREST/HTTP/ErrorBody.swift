/// Reads error responses: an object for unary methods, an array of one for streamed ones, or a proxy's web page.
enum ErrorBody {
  /// Reads the error of a response whose status is not 200.
  static func read(_ response: HTTPResponse, with parser: JSONParser) -> FirestoreError {
    let retryAfter = response.headers["retry-after"].flatMap { Double($0) }
    // A body that is not JSON leaves only the HTTP status.
    let found = try? parser.parse(response.body) { root throws(WireError) in
      let object = root.kind == .array ? root.elements.first { $0["error"] != nil } : root
      return object?["error"].flatMap { read($0, httpCode: response.status) }
    }
    var error =
      (found ?? nil)
      ?? FirestoreError(
        FirestoreError.Status(httpCode: response.status),
        "the response has no Firestore error",
        code: response.status,
        isFromService: false
      )
    if error.retryDelay == nil { error.retryDelay = retryAfter }
    return error
  }

  /// Reads the value of an `error` member, including one in a stream with status 200; nil if it is not an error object.
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
      // Reasons in other domains have another meaning.
      if type.hasSuffix("google.rpc.ErrorInfo"), detail["domain"]?.string?.hasSuffix("googleapis.com") ?? true
      {
        error.reason = detail["reason"]?.string
      }
      if type.hasSuffix("google.rpc.RetryInfo"), let delay = detail["retryDelay"]?.string,
        delay.hasSuffix("s")
      {
        error.retryDelay = Double(delay.dropLast())
      }
    }
    return error
  }
}
