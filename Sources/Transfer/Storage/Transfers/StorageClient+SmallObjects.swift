import Files
import FirestoreREST

extension StorageClient {
  /// Writes a small object with a single request; if a response is lost, the ID of the upload in the object shows whether it
  /// was written.
  ///
  /// - Parameters:
  ///   - kind: The kind of the object, for its metadata.
  ///   - generation: The version to replace, 0 for none; nil to replace any.
  ///   - id: The ID of the upload; that of an earlier call with the same arguments if its outcome is unknown.
  /// - Returns: Nil if the object is in another state; then nothing was written.
  /// - Throws: `.notPermitted`, `.configuration` for a missing bucket, `.unavailable`, `.tryLater`.
  func write(
    _ bytes: [UInt8],
    to address: StorageAddress,
    kind: String,
    ifGeneration generation: Int64?,
    id: String = ObjectUpload.newID()
  ) async throws(Failure) -> StorageResource? {
    let call = StorageCall("write", address, writes: true)
    let checksum = CRC32C.checksum(of: bytes)
    let boundary = "gymmigrate-\(ObjectUpload.newID())-\(id)"
    var query = [("uploadType", "multipart"), ("fields", StorageResource.members)]
    if let generation { query.append(("ifGenerationMatch", String(generation))) }
    var body = Array("--\(boundary)\r\nContent-Type: application/json; charset=UTF-8\r\n\r\n".utf8)
    body += ObjectUpload.metadata(of: address, kind: kind, id: id, crc32c: checksum.base64)
    body += Array("\r\n--\(boundary)\r\nContent-Type: application/octet-stream\r\n\r\n".utf8)
    body += bytes
    body += Array("\r\n--\(boundary)--\r\n".utf8)
    let request = request(
      "POST",
      uploadURL(address, query),
      headers: [("Content-Type", "multipart/related; boundary=\(boundary)")],
      body: body,
      moving: body.count
    )
    var found: StorageResource?
    let response = try await send(request, call) { () async throws(Failure) in
      found = try await object(at: address, madeBy: id)
      return found == nil ? nil : HTTPResponse(status: 200)
    }
    if let found { return found }
    switch response.status {
    // The current object may be that of an earlier attempt whose response was lost.
    case 412: return try await object(at: address, madeBy: id)
    case 200, 201: break
    default: throw call.refused(response)
    }
    let written = try resource(response, call)
    return try await verified(written, at: address, bytes: bytes.count, checksum)
  }
}
