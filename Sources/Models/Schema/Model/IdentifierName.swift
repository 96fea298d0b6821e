/// Recognizes field names whose digits are not numbers: identifiers, codes and phone numbers.
///
/// The name is split into words at everything but letters, and before capitals (`idSocio`, `codigo_postal`, `RFC-cliente`); case
/// and accents do not count, and consecutive single letters form one word (`C.P.`). docs/importing.md lists the words.
package enum IdentifierName {
  /// Words that always make a name an identifier.
  private static let identifiers: Set = [
    "id", "uid", "uuid", "guid", "clave", "code", "codigo", "folio", "sku", "isbn", "ean", "upc", "gtin",
    "barcode",
    "matricula", "expediente", "poliza", "placa", "placas", "vin", "imei", "serial", "pin",
    "cp", "zip", "zipcode", "postcode", "postalcode", "codigopostal",
    "nss", "ssn", "curp", "rfc", "ine", "dni", "nif", "nie", "cif", "cedula", "passport", "pasaporte",
    "clabe", "iban", "phonenumber", "userid", "memberid", "customerid", "clientid", "orderid", "idsocio",
    "idcliente",
    "idusuario",
  ]
  /// Words that make a name an identifier unless it is a quantity: `cuenta`, but not `saldo_cuenta`.
  private static let others: Set = [
    "phone", "phones", "telephone", "mobile", "whatsapp", "fax", "telefono", "telefonos", "tel", "cel",
    "celular",
    "celulares", "movil", "tarjeta", "card", "cuenta", "account",
  ]
  private static let quantities: Set = [
    "count", "conteo", "total", "totales", "cantidad", "quantity", "qty", "suma", "sum", "saldo", "balance",
    "monto",
    "importe", "amount", "precio", "price", "costo", "coste", "cost", "comision", "fee", "cargo", "cargos",
    "pago", "pagos",
    "payment", "payments", "ingreso", "ingresos", "income", "porcentaje", "percent", "promedio", "average",
    "limite", "limit",
  ]
  /// Words that, with another word and without plurals, mean a number that identifies something: `numero_socio`, `invoiceNumber`.
  private static let numbers: Set = ["numero", "num", "nro", "number"]

  /// Whether the last segment of a path is the name of an identifier.
  package static func matches(_ path: FieldPath) -> Bool { path.segments.last.map(matches) ?? false }

  /// Whether a name is that of an identifier.
  package static func matches(_ name: String) -> Bool {
    let words = words(of: name)
    if words.contains(where: identifiers.contains) { return true }
    if words.contains(where: others.contains), !words.contains(where: quantities.contains) { return true }
    return words.count > 1 && words.contains(where: numbers.contains)
      && !words.contains { $0.utf8.last == 0x73 }
  }

  /// The words of a name, in lower case and without accents.
  static func words(of name: String) -> [String] {
    let scalars = Array(name.unicodeScalars)
    var words: [String] = []
    var word = ""
    func isLower(_ index: Int) -> Bool { index < scalars.count && scalars[index].properties.isLowercase }
    func endWord() {
      let folded = PlainText.folded(word)
      word = ""
      if folded.isEmpty { return }
      words.append(folded)
    }
    for (index, scalar) in scalars.enumerated() {
      let properties = scalar.properties
      if properties.isAlphabetic {
        let isBoundary = properties.isUppercase && (isLower(index + 1) || (index > 0 && isLower(index - 1)))
        if isBoundary { endWord() }
        word.unicodeScalars.append(scalar)
      } else if properties.generalCategory == .nonspacingMark {
        word.unicodeScalars.append(scalar)
      } else {
        endWord()
      }
    }
    endWord()
    return joined(words)
  }

  /// Joins consecutive single letters.
  private static func joined(_ words: [String]) -> [String] {
    var result: [String] = []
    var wasLetter = false
    for word in words {
      let isLetter = word.utf8.count == 1
      if isLetter, wasLetter, let last = result.popLast() {
        result.append(last + word)
      } else {
        result.append(word)
      }
      wasLetter = isLetter
    }
    return result
  }
}
