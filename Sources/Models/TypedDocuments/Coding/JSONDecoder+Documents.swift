package import FirestoreModels

#if canImport(FoundationEssentials)
  package import FoundationEssentials

  extension JSONDecoder {
    /// Reads the answer of `documents.get`: the document, or the service's error.
    ///
    /// ```swift
    /// let result: Result<App, FirestoreError> = try JSONDecoder().decodeGetResult(from: data)
    /// ```
    ///
    /// Of the decoder's settings only `userInfo` counts: the service's encoding is fixed, and its times are read with
    /// all their digits whatever the date strategy is.
    ///
    /// - Throws: `DecodingError` where the answer is neither, or where the document is not of the type.
    package func decodeGetResult<Element: DocumentType>(
      from data: Data
    ) throws -> Result<Element, FirestoreError> {
      try data.withUnsafeBytes { try DocumentResponse.get(from: $0, userInfo: userInfo) }
    }

    /// Reads the answer of `documents.list`, all of it or nothing: the page's documents, or the service's error.
    ///
    /// - Throws: `DecodingError` where the answer is neither, or where one of the documents is not of the type, with
    ///   its place in the coding path. A ``DocumentList`` as the result keeps the others.
    package func decodeListResult<Element: DocumentType>(
      from data: Data
    ) throws -> Result<[Element], FirestoreError> {
      try data.withUnsafeBytes { try DocumentResponse.list(from: $0, userInfo: userInfo) }
    }

    /// Reads the answer of `documents.list`, one result for each document: the page, or the service's error.
    ///
    /// ```swift
    /// let result: Result<DocumentList<App>, FirestoreError> = try JSONDecoder().decodeListResult(from: data)
    /// ```
    ///
    /// - Throws: `DecodingError` where the answer is neither.
    package func decodeListResult<Element: DocumentType>(
      from data: Data
    ) throws -> Result<DocumentList<Element>, FirestoreError> {
      try data.withUnsafeBytes { try DocumentResponse.page(from: $0, userInfo: userInfo) }
    }
  }
#endif
