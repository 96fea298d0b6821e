/// A class, with English names for the Spanish fields of the database.
///
/// It is decoded as by the app: a missing value or one of another type becomes the default and is never an error. Where the app's
/// default for a number is 0, it is nil here, because a report must not state it.
package struct GymClass: Identifiable, Equatable, Sendable {
  package var id: String
  /// `nombre`.
  package var name: String
  /// `fecha`: the start of the day in the gym's time zone; nil if missing.
  package var date: Timestamp?
  /// `horaInicio`, such as `07:00`.
  package var startTime: String
  /// `duracionMin`.
  package var durationMinutes: Int?
  /// `capacidadMax`.
  package var maxCapacity: Int?
  package var gymId: String
  package var description: String?
  /// Whether the class takes place; true if the field is missing, as in documents of the Android app.
  package var isActive = true
  /// The recurring series to which the class belongs.
  package var recurrenceGroupId: String?

  package init(
    id: String,
    name: String,
    date: Timestamp,
    startTime: String,
    durationMinutes: Int,
    maxCapacity: Int,
    gymId: String,
    description: String? = nil,
    recurrenceGroupId: String? = nil
  ) {
    self.id = id
    self.name = name
    self.date = date
    self.startTime = startTime
    self.durationMinutes = durationMinutes
    self.maxCapacity = maxCapacity
    self.gymId = gymId
    self.description = description
    self.recurrenceGroupId = recurrenceGroupId
  }

  package init(_ document: RawDocument) {
    let fields = document.fields
    id = document.path.id
    name = fields["nombre"]?.string ?? ""
    date = fields["fecha"]?.timestamp
    startTime = fields["horaInicio"]?.string ?? ""
    durationMinutes = fields["duracionMin"]?.wholeNumber
    maxCapacity = fields["capacidadMax"]?.wholeNumber
    gymId = fields["gymId"]?.string ?? ""
    description = fields["description"]?.string
    isActive = fields["isActive"]?.boolean ?? true
    recurrenceGroupId = fields["recurrenceGroupId"]?.string
  }

  /// The fields of a new document, without the times, which the service sets.
  package var fields: FieldMap {
    var fields: FieldMap = [
      "nombre": .string(name), "horaInicio": .string(startTime),
      "gymId": .string(gymId), "isActive": .boolean(isActive),
    ]
    if let date { fields["fecha"] = .timestamp(date) }
    if let durationMinutes { fields["duracionMin"] = .integer(Int64(durationMinutes)) }
    if let maxCapacity { fields["capacidadMax"] = .integer(Int64(maxCapacity)) }
    if let description { fields["description"] = .string(description) }
    if let recurrenceGroupId { fields["recurrenceGroupId"] = .string(recurrenceGroupId) }
    return fields
  }
}

/// A booking of a class, decoded like ``GymClass``.
package struct ClassBooking: Identifiable, Equatable, Sendable {
  package var id: String
  package var classId: String
  package var userId: String
  /// `estado`: `activa` or `cancelada`.
  package var status: String

  package init(_ document: RawDocument) {
    let fields = document.fields
    id = document.path.id
    classId = fields["classId"]?.string ?? ""
    userId = fields["userId"]?.string ?? ""
    status = fields["estado"]?.string ?? ""
  }
}

/// The attendance of one person in a class, decoded like ``GymClass``.
package struct ClassAttendance: Identifiable, Equatable, Sendable {
  package var id: String
  package var classId: String
  package var userId: String?
  package var memberId: String?
  /// `asistio`; false if it is not a boolean.
  package var attended: Bool
  /// Whether `asistio` is a boolean.
  package var isRecorded: Bool
  package var timestamp: Timestamp?

  package init(_ document: RawDocument) {
    let fields = document.fields
    id = document.path.id
    classId = fields["classId"]?.string ?? ""
    userId = fields["userId"]?.string
    memberId = fields["memberId"]?.string
    attended = fields["asistio"]?.boolean ?? false
    isRecorded = fields["asistio"]?.boolean != nil
    timestamp = fields["timestamp"]?.timestamp
  }
}

extension Value {
  /// An integer, or a double with an integral value, as Foundation casts a number to `Int`.
  package var wholeNumber: Int? {
    switch self {
    case .integer(let number): Int(exactly: number)
    case .double(let number): Int(exactly: number)
    default: nil
    }
  }
}
