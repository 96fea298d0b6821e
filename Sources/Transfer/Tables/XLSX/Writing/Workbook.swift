import CXLSXWriter
import Files

/// A workbook of libxlsxwriter in constant-memory mode, in which rows go to a temporary file in order.
///
/// The library frees a workbook when it closes it, even if that fails, so it is closed only once. A value
/// dropped without ``close(reporting:)`` is freed and nothing is written.
struct Workbook: ~Copyable {
  private let handle: UnsafeMutablePointer<lxw_workbook>
  /// Bold, for headings.
  private(set) var headingFormat: UnsafeMutablePointer<lxw_format>?
  private(set) var cellFormats = CellFormats()

  /// Starts a workbook.
  ///
  /// - Throws: ``Failure`` of kind `internal` if there is no memory.
  static func start(_ path: String, temporaryFolder: String) throws(Failure) -> Workbook {
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
    var workbook = Workbook(handle: created)
    workbook.headingFormat = try workbook.addFormat()
    format_set_bold(workbook.headingFormat)
    workbook.cellFormats = CellFormats(
      date: try workbook.addFormat(XLSXStyles.dateCode),
      fineDate: try workbook.addFormat(XLSXStyles.fineDateCode),
      double: try workbook.addFormat(XLSXStyles.doubleCode),
      smallDouble: try workbook.addFormat(XLSXStyles.smallDoubleCode),
      integer: try workbook.addFormat(XLSXStyles.integerCode),
      text: try workbook.addFormat("@")
    )
    return workbook
  }

  deinit { lxw_workbook_free(handle) }

  /// Creates a format without any properties, or with the given number format.
  ///
  /// - Throws: ``Failure`` of kind `internal` if there is no memory.
  func addFormat(_ code: String? = nil) throws(Failure) -> UnsafeMutablePointer<lxw_format> {
    guard let format = workbook_add_format(handle) else { throw Self.noMemory }
    if let code { format_set_num_format(format, code) }
    return format
  }

  /// Creates a chart, to be inserted into one sheet.
  ///
  /// - Throws: ``Failure`` of kind `internal` if there is no memory.
  func addChart(_ type: lxw_chart_type) throws(Failure) -> UnsafeMutablePointer<lxw_chart> {
    guard let chart = workbook_add_chart(handle, UInt8(type.rawValue)) else { throw Self.noMemory }
    return chart
  }

  /// Gives a sheet's first cell a name that is local to the sheet; the sheet's name must have no apostrophe.
  ///
  /// - Throws: ``Failure`` of kind `internal`.
  func defineName(_ name: String, ofSheet sheet: String) throws(Failure) {
    let code = workbook_define_name(handle, "'\(sheet)'!\(name)", "='\(sheet)'!$A$1")
    if code != LXW_NO_ERROR {
      throw Failure(.internal, "name a sheet of a workbook", cause: "libxlsxwriter's error \(code.rawValue)")
    }
  }

  /// Adds an empty sheet; the name must be valid and unique (``SheetNames``).
  ///
  /// - Throws: ``Failure`` of kind `cannotWrite` if the sheet's temporary file cannot be created.
  func addSheet(named name: String) throws(Failure) -> UnsafeMutablePointer<lxw_worksheet> {
    guard let sheet = workbook_add_worksheet(handle, name) else {
      throw Failure(
        .cannotWrite,
        "add a sheet to the workbook",
        path: name,
        cause: "the library refuses it: no memory, no temporary file, or an invalid name"
      )
    }
    return sheet
  }

  /// Writes the file and frees everything.
  ///
  /// - Throws: ``Failure`` of kind `cannotWrite` with `path`, the final path.
  consuming func close(reporting path: String) throws(Failure) {
    let code = workbook_close(handle)
    discard self
    if code != LXW_NO_ERROR {
      let cause = lxw_strerror(code).map { String(cString: $0) }
      throw .cannotWrite(path, cause ?? "libxlsxwriter's error \(code.rawValue)")
    }
  }

  private static var noMemory: Failure {
    Failure(.internal, "write a workbook", cause: "there is not enough memory")
  }
}
