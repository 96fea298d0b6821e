#if canImport(CSimdjson)
  import CSimdjson

  /// The simdjson parser and its buffers.
  final class SimdjsonParser: TapeParser {
    private let parser: OpaquePointer

    init(maximumBytes: Int, maximumDepth: Int) {
      guard let parser = gm_json_parser_create(maximumBytes, maximumDepth) else {
        preconditionFailure("no memory for a JSON parser")
      }
      self.parser = parser
    }

    deinit {
      gm_json_parser_destroy(parser)
    }

    func parse(
      _ json: UnsafeRawBufferPointer,
      room: Int,
      keepsNumbers: Bool
    ) throws(WireError) -> JSONCursor {
      var document = gm_json_document()
      var empty: UInt8 = 0
      let status =
        if let base = json.baseAddress {
          gm_json_parse(parser, base.assumingMemoryBound(to: UInt8.self), json.count, room, &document)
        } else {
          gm_json_parse(parser, &empty, 0, 0, &document)
        }
      switch status {
      case GM_JSON_OK: break
      case GM_JSON_TOO_DEEP: throw .nestedTooDeeply
      case GM_JSON_INVALID_UTF8: throw .notUTF8
      case GM_JSON_TOO_LARGE: throw .tooLarge(json)
      case GM_JSON_NO_MEMORY: throw WireError("there is no memory left for its \(json.count) bytes")
      case GM_JSON_BAD_NUMBER:
        // simdjson does not say whether the number is malformed or out of range.
        var writer = TapeWriter(json, maximumDepth: json.count, keepsNumbers: false)
        try writer.write()
        throw .malformed(json)
      default: throw .malformed(json)
      }
      if keepsNumbers, let base = json.baseAddress,
        gm_json_loses_numbers(&document, base.assumingMemoryBound(to: UInt8.self), json.count) != 0
      {
        throw .losesNumbers
      }
      if keepsNumbers, gm_json_may_round(&document) != 0 {
        var writer = TapeWriter(json, maximumDepth: json.count, keepsNumbers: true)
        try writer.write()
      }
      guard let tape = document.tape, let strings = document.strings else { throw WireError("it is empty") }
      return JSONCursor(tape: tape, strings: strings, index: 1)
    }
  }
#endif
