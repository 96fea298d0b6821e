/// What the service has of a resumable upload, and what follows each of its answers.
///
/// The protocol: https://cloud.google.com/storage/docs/performing-resumable-uploads. The type is pure; ``ObjectUpload`` performs
/// what it decides.
struct UploadProgress: Equatable {
  /// The bytes of the object that the service has for certain.
  private(set) var confirmed = 0

  /// What the service said about the upload.
  enum Answer: Equatable {
    /// 308: it has the bytes before an offset; 0 where it names no range.
    case incomplete(persisted: Int)
    /// 200 or 201: the object exists.
    case complete
    /// 404 or 410: it knows no such session.
    case unknownSession
    /// 412: the object is not in the state that was expected.
    case preconditionFailed
  }

  /// What is done next.
  enum Step: Equatable {
    /// Send the bytes of the piece from this offset of the object on.
    case send(from: Int)
    /// The piece is there; more are expected.
    case pieceDone
    /// The object exists.
    case finished
    /// Find out by the object itself whether the upload was completed.
    case lookAtObject
    /// The object was changed by somebody else.
    case refused
    /// The answer contradicts what was sent.
    case foreign(String)
  }

  /// Decides on an answer to a piece or to a question about the upload.
  ///
  /// - Parameters:
  ///   - piece: The offsets of the bytes that are at hand.
  ///   - isLast: Whether the object ends with them.
  mutating func step(after answer: Answer, piece: Range<Int>, isLast: Bool) -> Step {
    switch answer {
    case .complete: return isLast ? .finished : .foreign("the upload was completed before its end")
    case .unknownSession: return .lookAtObject
    case .preconditionFailed: return .refused
    case .incomplete(let persisted):
      if persisted > piece.upperBound {
        return .foreign("the service has \(persisted) bytes, and \(piece.upperBound) were sent")
      }
      let kept = max(piece.lowerBound, confirmed)
      if persisted < kept {
        return .foreign("the service has lost \(kept - persisted) bytes that it had confirmed")
      }
      confirmed = persisted
      // All bytes of the last piece may be there before the object is: sending its end once more completes it.
      if persisted == piece.upperBound, !isLast { return .pieceDone }
      return .send(from: persisted)
    }
  }

  /// Reads the `Range` header of status 308: `bytes=0-42` is 43 bytes; nil for any other form.
  static func persisted(range: String?) -> Int? {
    guard let range else { return 0 }
    guard range.hasPrefix("bytes=0-"), let last = Int(count: range.dropFirst("bytes=0-".count)) else {
      return nil
    }
    return last + 1
  }

  /// Returns the `Content-Range` of bytes.
  ///
  /// - Parameter total: The size of the object, if the bytes are its last ones.
  static func contentRange(_ range: Range<Int>, total: Int?) -> String {
    let whole = total.map { String($0) } ?? "*"
    return range.isEmpty ? "bytes */\(whole)" : "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(whole)"
  }
}
