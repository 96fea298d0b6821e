import Files
import Logging
import Schema
import Tables

/// Writes `columns.csv` and the lines on standard error about the column types that were guessed.
struct ColumnReport {
  private let list: LineList
  /// What the options say about all tables.
  private let reading: TableReading

  init(_ path: String, _ reading: TableReading) {
    self.reading = reading
    let columns = ["file", "column", "heading", "type", "cells", "most", "agreeing", "row", "value"]
    list = LineList(path, header: CSVLineWriter.byteOrderMark + CSVLineWriter().bytes(columns))
  }

  /// Reports the guesses of all tables.
  ///
  /// - Throws: `.inputMalformed` if nearly all cells of a column agree and the rest do not; `.cannotWrite`.
  func report(
    _ tables: [(source: ImportSource, plan: TablePlan, declared: [String])],
    _ logger: Logger
  ) throws(Failure) {
    var failures: [Failure] = []
    for (source, plan, declared) in tables {
      if !declared.isEmpty {
        logger.notice(
          "\(source.label): as the schema says of \(plan.collection): \(declared.joined(separator: "; "))."
        )
      }
      for (column, note) in plan.notes {
        // A field with a mistyped name is written, and the field that was meant stays as it is.
        let level: Logger.Level = note.isDoubt && !source.isExported ? .warning : .notice
        logger.log(level: level, "\(source.label) \(plan.name(ofColumn: column)): \(note.text).")
      }
      for guess in plan.guesses {
        try list.append(line(guess, source, plan))
        let name = plan.name(ofColumn: guess.column)
        if guess.stops {
          logger.warning("\(source.label) \(name): \(Self.disagreement(guess)).")
        } else {
          let advice = guess.advice.map { "; \(Self.option($0, guess, plan))" } ?? ""
          let words =
            guess.isOfWords ? "; --types '\(Self.heading(of: guess, plan))=boolean' reads true and false" : ""
          logger.notice("\(source.label) \(name): \(Self.description(guess))\(advice)\(words).")
        }
        if let swapped = guess.swapped { logger.warning("\(source.label) \(name): \(swapped)") }
      }
      if let failure = Self.failure(source, plan, reading) { failures.append(failure) }
    }
    guard var failure = failures.first else { return }
    if failures.count > 1 { failure.cause += " (\(failures.count) tables in all)" }
    failure.remedy? += " See \(list.path) for the first such cell."
    throw failure
  }

  /// Describes what type a column got and why, without its data.
  static func description(_ guess: ColumnGuess) -> String {
    let type = name(of: guess.type)
    if guess.isByName { return "\(type), by its name" }
    if guess.cells == 0 {
      return guess.type == .any ? "no type, as no cell says one" : type
    }
    let order = guess.dateOrder.map { ", \($0.rawValue)" } ?? ""
    let note = guess.note.map { "; \($0)" } ?? ""
    let say = guess.cells == 1 ? "says" : "say"
    if guess.others == 0 { return "\(type)\(order), as \(cells(guess.cells)) \(say)\(note)" }
    let rows = guess.textRows.map(String.init).joined(separator: ", ")
    let texts = rows.isEmpty ? "" : "; the texts are in row \(rows)"
    return
      "\(type); \(majority(guess)), and row \(guess.rows.first ?? 0) is the first that does not\(texts)\(note)"
  }

  private static func disagreement(_ guess: ColumnGuess) -> String {
    let rows = guess.rows.map(String.init).joined(separator: ", ")
    let more = guess.others > guess.rows.count ? ", …" : ""
    return
      "\(majority(guess)), and \(cells(guess.others)) \(guess.others == 1 ? "does" : "do") not: row \(rows)\(more)"
  }

  private static func majority(_ guess: ColumnGuess) -> String {
    "\(guess.agreeing) of \(cells(guess.cells)) say \(name(of: guess.most))"
  }

  private static func cells(_ count: Int) -> String { count == 1 ? "1 cell" : "\(count) cells" }

  private static func name(of type: Column.ValueType) -> String { type == .string ? "text" : type.rawValue }

  /// The refusal of columns in which nearly all cells agree, with the options that set their types; nil if there are none.
  static func failure(_ source: ImportSource, _ plan: TablePlan, _ reading: TableReading) -> Failure? {
    let guesses = plan.guesses.filter(\.stops)
    guard let first = guesses.first else { return nil }
    var failure = failure(first, source, plan, reading)
    if guesses.count == 1 { return failure }
    let others = guesses.dropFirst().map { plan.name(ofColumn: $0.column) }
    failure.cause += "; the same of \(FilePaths.list(others))"
    let texts = guesses.map { "\(heading(of: $0, plan))=text" }
    if !texts.contains(where: { $0.utf8.contains(UInt8(ascii: ",")) }) {
      failure.remedy? += " --types '\(texts.joined(separator: ","))' keeps them all as text."
    }
    return failure
  }

  private static func failure(
    _ guess: ColumnGuess,
    _ source: ImportSource,
    _ plan: TablePlan,
    _ reading: TableReading
  ) -> Failure {
    let heading = heading(of: guess, plan)
    let type = guess.most.rawValue
    var option: String?
    if guess.most == .integer || guess.most == .double {
      let value = Array(PlainText.trimmed(guess.value).utf8)
      let advice = TypedNumbers(reading).advice(value, besidePoints: guess.hasPoints)
      option = advice.map { Self.option($0, guess, plan) }
    }
    return Failure(
      .inputMalformed,
      "import",
      path: source.label,
      cause: "\(plan.name(ofColumn: guess.column)): \(disagreement(guess))",
      remedy:
        "Say the type, in the heading (\(heading):\(type)) or with --types '\(heading)=\(type)'; \(heading)=text keeps all as text.\(option.map { " \($0)." } ?? "")"
    )
  }

  /// The options that read a number, including the type that all but a decimal comma of CSV need.
  private static func option(_ advice: String, _ guess: ColumnGuess, _ plan: TablePlan) -> String {
    if !plan.isSheet, advice.hasPrefix("--decimal-comma") { return advice }
    return "--types '\(heading(of: guess, plan))=double' with \(advice)"
  }

  /// The heading of a column, or its number if it has none.
  private static func heading(of guess: ColumnGuess, _ plan: TablePlan) -> String {
    let heading = plan.headings[guess.column]
    return heading.isEmpty ? String(guess.column + 1) : heading
  }

  private func line(_ guess: ColumnGuess, _ source: ImportSource, _ plan: TablePlan) -> [UInt8] {
    let isCounted = !guess.isByName
    let cells = [
      source.label, String(guess.column + 1), plan.headings[guess.column],
      guess.stops ? "" : Self.name(of: guess.type), isCounted ? String(guess.cells) : "",
      isCounted ? Self.name(of: guess.most) : "by name", isCounted ? String(guess.agreeing) : "",
      guess.rows.first.map(String.init) ?? "", guess.value,
    ]
    return CSVLineWriter.list.bytes(cells)
  }
}
