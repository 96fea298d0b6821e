import FirestoreModels
import GymModels
import Testing

@Suite struct UserFieldsTests {
  @Test func readsEachEra() {
    let user = UserFields([
      "fullName": .string(" Ana "), "firstName": .string("A"), "paternalLastName": .string("B"),
      "maternalLastName": .string("C"), "phone": .string("007"), "isActive": .boolean(false),
      "role": .string("admin"), "onboardingCompleted": .boolean(true), "nombre": .string("D"),
      "primerApellido": .string("E"), "segundoApellido": .string("F"), "telefono": .string("008"),
      "activo": .boolean(true),
    ])
    #expect(user.fullName == " Ana ")
    #expect(user.unifiedName == PersonName(firstName: "A", paternalLastName: "B", maternalLastName: "C"))
    #expect(user.androidName == PersonName(firstName: "D", paternalLastName: "E", maternalLastName: "F"))
    #expect(user.phone == "007" && user.telefono == "008" && user.effectivePhone == "007")
    #expect(user.isActive == false && user.activo == true && !user.effectiveIsActive)
    #expect(user.role == "admin" && user.onboardingCompleted == true)
    #expect(user.wrongTypes.isEmpty)
  }

  @Test(arguments: [FieldMap(), ["fullName": .null, "isActive": .null], ["fullName": .string(" \n")]])
  func missingIsAbsentNullOrBlank(fields: FieldMap) {
    let user = UserFields(fields)
    #expect(user.fullName == nil && user.isActive == nil && user.wrongTypes.isEmpty)
    #expect(user.effectiveFullName == nil && user.effectivePhone == nil && user.effectiveIsActive)
  }

  @Test func readsUnifiedThenIOSThenAndroid() {
    let user = UserFields([
      "nombre": .string("Ana "), "primerApellido": .string("López"), "firstName": .string("Anita"),
      "telefono": .string("1"), "activo": .boolean(false),
    ])
    #expect(user.effectiveFullName == "Anita López")
    #expect(user.effectivePhone == "1" && !user.effectiveIsActive)
  }

  @Test func findsWrongTypesInTheOrderOfTheFields() {
    let wrong = FieldMap(UserField.allCases.map { FieldMap.Entry(name: $0.rawValue, value: .integer(1)) })
    #expect(UserFields(wrong).wrongTypes.map(\.field) == UserField.allCases)
  }

  @Test(arguments: UserField.allCases)
  func findsWrongTypes(field: UserField) {
    let wrong: [Value] = [
      .integer(7_299_595_662), .double(1), .map([:]), .array([]),
      field.isBoolean ? .string("si") : .boolean(true), field.isBoolean ? .string("") : .bytes([]),
    ]
    for value in wrong {
      let user = UserFields([field.rawValue: value, "email": .integer(1)])
      #expect(user.wrongTypes == [UserFields.WrongType(field: field, value: value)])
    }
  }

  @Test func rolesAreExact() {
    #expect(UserRole(exactly: "admin") == .admin)
    #expect(UserRole(exactly: "Admin") == nil)
    #expect(UserRole(exactly: "admin ") == nil)
    #expect(UserRole.allCases.filter(\.isDeprecated) == [.owner, .staff])
  }
}
