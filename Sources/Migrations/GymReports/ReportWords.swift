package struct ReportWords: Sendable {
  /// The languages of a report; the raw value is used on the command line and in HTML.
  package enum Language: String, Sendable, CaseIterable {
    case spanish = "es"
    case english = "en"
  }

  /// The terms that a report translates.
  enum Term: String, CaseIterable {
    case title, income, expenses, profit, checkIns, members, memberships, lowStock, endingSoon
    case byType, byMethod, byMonth, byDay, byCategory, byHour, byStatus, topMembers
    case payments, entries, amount, count, name, stock, ends, day, hour, month, none, leftOut, productCost
    case sheet, from, to, asOf, onDay, sinceDay, undated, unreadable, nothing, readAt
  }

  let language: Language

  package init(_ language: Language) {
    self.language = language
  }

  subscript(_ term: Term) -> String {
    let (spanish, english): (String, String) =
      switch term {
      case .title: ("Resumen del gimnasio", "Summary of the gym")
      case .income: ("Ingresos", "Income")
      case .expenses: ("Gastos", "Expenses")
      case .profit: ("Utilidad", "Profit")
      case .checkIns: ("Asistencias", "Check-ins")
      case .members: ("Miembros registrados", "Registered members")
      case .memberships: ("Vencimientos", "Ends of memberships")
      case .lowStock: ("Existencias de 5 o menos", "Stock of 5 or less")
      case .endingSoon: ("Membresías que vencen en 7 días", "Memberships that end within 7 days")
      case .byType: ("Ingresos por tipo", "Income by type")
      case .byMethod: ("Ingresos por método", "Income by method")
      case .byMonth: ("Ingresos por mes", "Income by month")
      case .byDay: ("Asistencias por día", "Check-ins by day")
      case .byCategory: ("Gastos por categoría", "Expenses by category")
      case .byHour: ("Asistencias por hora", "Check-ins by hour")
      case .byStatus: ("Miembros por estado", "Members by status")
      case .topMembers: ("Los diez con más asistencias", "The ten with the most check-ins")
      case .payments: ("pagos", "payments")
      case .entries: ("gastos", "expenses")
      case .amount: ("Importe (MXN)", "Amount (MXN)")
      case .count: ("Número", "Number")
      case .name: ("Nombre", "Name")
      case .stock: ("Existencias", "Stock")
      case .ends: ("Vence", "Ends")
      case .day: ("Día", "Day")
      case .hour: ("Hora", "Hour")
      case .month: ("Mes", "Month")
      case .none: ("nada", "none")
      case .nothing:
        (
          "No hay pagos ni asistencias en estos días.",
          "There are no payments and no check-ins in these days."
        )
      case .readAt: ("leído", "read at")
      case .leftOut:
        ("No contados, sin fecha o sin importe en pesos", "Not counted, without a date or an amount in pesos")
      case .sheet: ("Resumen", "Summary")
      case .from: ("Desde", "From")
      case .to: ("Hasta", "To")
      case .asOf: ("Vencimientos desde", "Ends counted from")
      case .onDay: ("al", "on")
      case .sinceDay: ("desde el", "from")
      case .undated: ("Sin fecha", "Without a date")
      case .unreadable: ("Sin importe en pesos", "Without an amount in pesos")
      case .productCost:
        (
          "No incluye el costo de los productos vendidos: los pagos no dicen cuál se vendió.",
          "Without the cost of products sold: payments do not record which was sold."
        )
      }
    return language == .spanish ? spanish : english
  }

  /// A term with the day to which it refers: `Miembros registrados al 2026-11-28`.
  func dated(_ term: Term, _ word: Term, _ day: CalendarDay) -> String {
    "\(self[term]) \(self[word]) \(day.text)"
  }

  /// A plural term adapted to a number: `pagos`, and `pago` for 1.
  func counted(_ count: Int, _ term: Term) -> String {
    let word = self[term]
    return count == 1 ? String(word.dropLast()) : word
  }

  /// The word for a closed value of the database: a type, a method, a category, a status; the value itself if there is none.
  func value(_ key: String) -> String {
    guard let words = Self.values[key] else { return key }
    return language == .spanish ? words.spanish : words.english
  }

  private static let values: [String: (spanish: String, english: String)] = [
    "membership": ("membresía", "membership"), "day_pass": ("pase de día", "day pass"),
    "product": ("producto", "product"), "service": ("servicio", "service"),
    "guest_invite": ("invitado", "guest"),
    "cash": ("efectivo", "cash"), "card": ("tarjeta", "card"), "transfer": ("transferencia", "transfer"),
    "stripe": ("Stripe", "Stripe"), "apple_pay": ("Apple Pay", "Apple Pay"),
    "google_pay": ("Google Pay", "Google Pay"),
    "rent": ("renta", "rent"), "utilities": ("servicios públicos", "utilities"),
    "payroll": ("nómina", "payroll"),
    "equipment": ("equipo", "equipment"), "supplies": ("insumos", "supplies"),
    "maintenance": ("mantenimiento", "maintenance"), "marketing": ("publicidad", "marketing"),
    "insurance": ("seguros", "insurance"), "taxes": ("impuestos", "taxes"), "other": ("otros", "other"),
    "active": ("activa", "active"), "expired": ("vencida", "expired"),
    "suspended": ("suspendida", "suspended"),
    "cancelled": ("cancelada", "cancelled"), "pending": ("pendiente", "pending"),
    "unknown": ("sin dato", "unknown"),
  ]

  /// Money formatted for people: `$1,234.50`.
  static func money(_ cents: Int) -> String {
    let rest = String(cents.magnitude % 100)
    let whole = NumberText.grouped(Int(cents.magnitude / 100))
    return "\(cents < 0 ? "-" : "")$\(whole).\(rest.utf8.count < 2 ? "0" : "")\(rest)"
  }

  /// The period, such as `2026-01-01 – 2026-01-31`.
  static func period(_ days: ClosedRange<CalendarDay>) -> String {
    "\(days.lowerBound.text) – \(days.upperBound.text)"
  }
}
