import CXLSXWriter
import FirestoreModels

/// A workbook that libxlsxwriter writes, in constant memory: the rows of a sheet go to a temporary file in order.
///
/// The library frees a workbook when it closes it, also when that fails, so it can be closed once only; dropped
/// without ``close()`` it is freed and nothing is written.
struct Workbook: ~Copyable {
  private let handle: UnsafeMutablePointer<lxw_workbook>
  /// Bold, for headings.
  let headingFormat: UnsafeMutablePointer<lxw_format>
  /// A date and its time.
  let dateFormat: UnsafeMutablePointer<lxw_format>
  /// For dates finer than a millisecond.
  let fineDateFormat: UnsafeMutablePointer<lxw_format>
  /// For doubles where a whole number would be taken for an integer.
  let doubleFormat: UnsafeMutablePointer<lxw_format>
  /// For integers where a number would be taken for a double.
  let integerFormat: UnsafeMutablePointer<lxw_format>
  /// Text that a spreadsheet keeps as it is, whatever it looks like.
  let textFormat: UnsafeMutablePointer<lxw_format>

  /// Starts a workbook at `path`, whose temporary files lie in `temporaryFolder`.
  ///
  /// - Throws: ``Failure`` of kind `internal` where there is no memory.
  init(_ path: String, temporaryFolder: String) throws(Failure) {
    let created = path.withCString { path in
      temporaryFolder.withCString { folder in
        // The library copies both texts.
        var options = lxw_workbook_options(
          constant_memory: 1,
          tmpdir: UnsafeMutablePointer(mutating: folder),
          use_zip64: 1
        )
        return workbook_new_opt(path, &options)
      }
    }
    guard let created else { throw Self.noMemory }
    guard let heading = workbook_add_format(created), let date = workbook_add_format(created),
      let fineDate = workbook_add_format(created), let double = workbook_add_format(created),
      let integer = workbook_add_format(created), let text = workbook_add_format(created)
    else {
      lxw_workbook_free(created)
      throw Self.noMemory
    }
    format_set_bold(heading)
    format_set_num_format(date, XLSXStyles.dateCode)
    format_set_num_format(fineDate, XLSXStyles.fineDateCode)
    format_set_num_format(double, XLSXStyles.doubleCode)
    format_set_num_format(integer, XLSXStyles.integerCode)
    format_set_num_format(text, "@")
    (handle, headingFormat, dateFormat, textFormat) = (created, heading, date, text)
    (fineDateFormat, doubleFormat, integerFormat) = (fineDate, double, integer)
  }

  deinit {
    lxw_workbook_free(handle)
  }

  /// Adds an empty sheet; the name must be legal and new (``SheetNames``).
  ///
  /// - Throws: ``Failure`` of kind `cannotWrite` where the sheet's temporary file cannot be made.
  func addSheet(named name: String) throws(Failure) -> UnsafeMutablePointer<lxw_worksheet> {
    guard let sheet = workbook_add_worksheet(handle, name) else {
      throw Failure(
        .cannotWrite,
        "add a sheet to the workbook",
        path: name,
        cause: "the library refuses it: no memory, no temporary file, or a bad name"
      )
    }
    return sheet
  }

  /// Writes the workbook's file and frees everything.
  ///
  /// - Throws: ``Failure`` of kind `cannotWrite` that names `path`, the file's final place.
  consuming func close(reporting path: String) throws(Failure) {
    let code = workbook_close(handle)
    discard self
    if code != LXW_NO_ERROR {
      throw Failure(
        .cannotWrite,
        "write",
        path: path,
        cause: lxw_strerror(code).map { String(cString: $0) } ?? "libxlsxwriter's error \(code.rawValue)"
      )
    }
  }

  private static var noMemory: Failure {
    Failure(.internal, "write a workbook", cause: "there is no memory for it")
  }
}
