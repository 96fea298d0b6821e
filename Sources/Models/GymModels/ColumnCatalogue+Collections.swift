// The columns of each collection. Types are those of the unified schema; a legacy field that was written with
// different types is of any type.

extension ColumnCatalogue {
  private static let id = Column.id("id", "Id", "Identificador")
  private static let active = Column.boolean("isActive", "Active", "Activo")
  private static let created = Column.time("createdAt", "Created", "Creado")
  private static let updated = Column.time("updatedAt", "Updated", "Actualizado")

  static let users: [Column] = [
    id,
    .text("fullName", "Full name", "Nombre completo"),
    .text("firstName", "First name", "Nombre(s)"),
    .text("paternalLastName", "Paternal surname", "Apellido paterno"),
    .text("maternalLastName", "Maternal surname", "Apellido materno"),
    .text("email", "Email", "Correo"),
    .id("phone", "Phone", "Teléfono"),
    .text("role", "Role", "Rol"),
    active,
    .boolean("onboardingCompleted", "Onboarding completed", "Registro completo"),
    .text("photoURL", "Photo", "Foto"),
    .id("linkedMemberId", "Linked member", "Socio vinculado"),
    .text("nombre", "First name (Android)", "Nombre (Android)"),
    .text("primerApellido", "Paternal surname (Android)", "Primer apellido (Android)"),
    .text("segundoApellido", "Maternal surname (Android)", "Segundo apellido (Android)"),
    .id("telefono", "Phone (Android)", "Teléfono (Android)"),
    .boolean("activo", "Active (Android)", "Activo (Android)"),
    .id("telefonoEmergencia", "Emergency phone (Android)", "Teléfono de emergencia (Android)"),
    .any("fechaNacimiento", "Birth date (Android)", "Fecha de nacimiento (Android)"),
    .any("enfermedades", "Diseases (Android)", "Enfermedades (Android)"),
    .any("lesiones", "Injuries (Android)", "Lesiones (Android)"),
    .any("otros", "Other notes (Android)", "Otros (Android)"),
    .boolean("isMinor", "Minor", "Menor de edad"),
    .text("guardianNombre", "Guardian's first name", "Nombre del tutor"),
    .text("guardianPrimerApellido", "Guardian's paternal surname", "Primer apellido del tutor"),
    .text("guardianSegundoApellido", "Guardian's maternal surname", "Segundo apellido del tutor"),
    .id("guardianTelefono", "Guardian's phone", "Teléfono del tutor"),
    .text("guardianEmail", "Guardian's email", "Correo del tutor"),
    .text("guardianRelacion", "Guardian's relation", "Relación del tutor"),
    created, updated,
  ]

  static let members: [Column] =
    [
      id,
      .text("firstName", "First name", "Nombre(s)"),
      .text("paternalLastName", "Paternal surname", "Apellido paterno"),
      .text("maternalLastName", "Maternal surname", "Apellido materno"),
      .id("phone", "Phone", "Teléfono"),
      .text("email", "Email", "Correo"),
      .id("emergencyPhone", "Emergency phone", "Teléfono de emergencia"),
      .text("diseases", "Diseases", "Enfermedades"),
      .text("injuries", "Injuries", "Lesiones"),
      .text("otherNotes", "Other notes", "Otras notas"),
      .time("birthDate", "Birth date", "Fecha de nacimiento"),
      .any("guardianInfo", "Guardian", "Tutor"),
      .id("guardianGroupId", "Guardian group", "Grupo del tutor"),
      .text("membershipStatus", "Membership status", "Estado de la membresía"),
      .id("membershipPlanId", "Membership plan", "Plan de membresía"),
      .time("membershipStartDate", "Membership start", "Inicio de la membresía"),
      .time("membershipEndDate", "Membership end", "Fin de la membresía"),
      .integer("remainingVisits", "Remaining visits", "Visitas restantes"),
    ] + membershipPlanSnapshot + [
      .id("linkedUserId", "Linked user", "Usuario vinculado"),
      .id("registeredBy", "Registered by", "Registrado por"),
      .id("familyGroupId", "Family group", "Grupo familiar"),
      .text("groupRole", "Role in the group", "Rol en el grupo"),
      .text("groupRelationType", "Relation in the group", "Relación en el grupo"),
      .time("registrationDate", "Registered", "Fecha de registro"),
      active, created, updated,
    ]

  /// The nested map in members and payments.
  private static let membershipPlanSnapshot: [Column] = [
    .text("membershipPlanSnapshot.planName", "Snapshot: plan", "Plan contratado"),
    .text("membershipPlanSnapshot.planType", "Snapshot: type", "Tipo del plan contratado"),
    .double("membershipPlanSnapshot.planPrice", "Snapshot: price", "Precio del plan contratado"),
    .text("membershipPlanSnapshot.planCurrency", "Snapshot: currency", "Moneda del plan contratado"),
    .integer("membershipPlanSnapshot.durationInDays", "Snapshot: days", "Días del plan contratado"),
    .integer("membershipPlanSnapshot.totalVisits", "Snapshot: visits", "Visitas del plan contratado"),
    .integer("membershipPlanSnapshot.maxMembers", "Snapshot: members", "Socios del plan contratado"),
    .time("membershipPlanSnapshot.assignedAt", "Snapshot: assigned", "Asignación del plan contratado"),
    .id("membershipPlanSnapshot.assignedBy", "Snapshot: assigned by", "Quién asignó el plan contratado"),
  ]

  static let membershipPlans: [Column] = [
    id,
    .text("name", "Name", "Nombre"),
    .text("type", "Type", "Tipo"),
    .double("price", "Price", "Precio"),
    .text("currency", "Currency", "Moneda"),
    .integer("durationInDays", "Days", "Días"),
    .integer("totalVisits", "Visits", "Visitas"),
    .integer("maxMembers", "Members", "Socios"),
    .text("description", "Description", "Descripción"),
    active,
    .integer("sortOrder", "Order", "Orden"),
    created, updated,
  ]

  static let checkIns: [Column] = [
    id,
    .id("memberId", "Member", "Socio"),
    .id("userId", "User", "Usuario"),
    .id("registeredBy", "Registered by", "Registrado por"),
    .text("type", "Type", "Tipo"),
    .time("checkInDate", "Check-in", "Entrada"),
    .time("checkOutDate", "Check-out", "Salida"),
    .text("notes", "Notes", "Notas"),
    created, updated,
  ]

  static let payments: [Column] =
    [
      id,
      .id("memberId", "Member", "Socio"),
      .id("userId", "User", "Usuario"),
      .text("type", "Type", "Tipo"),
      .text("method", "Method", "Método"),
      .text("status", "Status", "Estado"),
      .double("amount", "Amount", "Importe"),
      .text("currency", "Currency", "Moneda"),
      .text("description", "Description", "Descripción"),
    ] + membershipPlanSnapshot + [
      .id("registeredBy", "Registered by", "Registrado por"),
      .time("completedAt", "Completed", "Completado"),
      created, updated,
    ]

  static let products: [Column] = [
    id,
    .text("name", "Name", "Nombre"),
    .text("description", "Description", "Descripción"),
    .text("category", "Category", "Categoría"),
    .double("price", "Price", "Precio"),
    .double("costPrice", "Cost", "Costo"),
    .text("currency", "Currency", "Moneda"),
    .integer("stock", "Stock", "Existencias"),
    .id("sku", "SKU", "Clave"),
    .text("imageURL", "Image", "Imagen"),
    active,
    .array("priceHistory", "Price history", "Historial de precios"),
    created, updated,
  ]

  static let expenses: [Column] = [
    id,
    .text("category", "Category", "Categoría"),
    .text("description", "Description", "Descripción"),
    .double("amount", "Amount", "Importe"),
    .text("currency", "Currency", "Moneda"),
    .time("date", "Date", "Fecha"),
    .text("paymentMethod", "Payment method", "Método de pago"),
    .text("vendorName", "Vendor", "Proveedor"),
    .text("notes", "Notes", "Notas"),
    .boolean("isRecurring", "Recurring", "Recurrente"),
    .integer("recurringDay", "Day of the month", "Día del mes"),
    .id("registeredBy", "Registered by", "Registrado por"),
    active, created, updated,
  ]

  static let userEmails: [Column] = [
    .text("email", "Email", "Correo"),
    .id("primaryUserId", "Primary user", "Usuario principal"),
    created,
  ]

  static let appConfig: [Column] = [
    .id("adminUserId", "First admin", "Primer administrador"),
    created, updated,
  ]

  static let classes: [Column] = [
    id,
    .text("nombre", "Name", "Nombre"),
    .time("fecha", "Date", "Fecha"),
    .text("horaInicio", "Start", "Hora de inicio"),
    .integer("duracionMin", "Minutes", "Duración (min)"),
    .integer("capacidadMax", "Capacity", "Cupo"),
    .id("gymId", "Gym", "Gimnasio"),
    .text("description", "Description", "Descripción"),
    active,
    .id("recurrenceGroupId", "Recurrence group", "Serie"),
    created, updated,
  ]

  static let classBookings: [Column] = [
    id,
    .id("classId", "Class", "Clase"),
    .id("userId", "User", "Usuario"),
    .id("gymId", "Gym", "Gimnasio"),
    .text("estado", "Status", "Estado"),
    created, updated,
  ]

  static let classAttendance: [Column] = [
    id,
    .id("classId", "Class", "Clase"),
    .id("userId", "User", "Usuario"),
    .id("memberId", "Member", "Socio"),
    .boolean("asistio", "Attended", "Asistió"),
    .time("timestamp", "Time", "Momento"),
    created, updated,
  ]

  // Training documents are described by their shape (nested arrays of maps), not field by field.
  static let exercises: [Column] = [
    id, .text("name", "Name", "Nombre"), active, created, updated,
  ]

  static let routineTemplates: [Column] = [
    id, .text("name", "Name", "Nombre"), .array("blocks", "Blocks", "Bloques"), active, created, updated,
  ]

  static let dailyRoutines: [Column] = [
    id, .array("blocks", "Blocks", "Bloques"), created, updated,
  ]

  static let groups: [Column] = [
    id,
    .text("name", "Name", "Nombre"),
    .id("createdBy", "Created by", "Creado por"),
    .integer("memberCount", "Members", "Miembros"),
    active, created, updated,
  ]

  static let groupMembers: [Column] = [
    id,
    .text("displayName", "Name", "Nombre"),
    .text("photoURL", "Photo", "Foto"),
    .time("joinedAt", "Joined", "Ingreso"),
    .text("role", "Role", "Rol"),
    active, created, updated,
  ]
}
