import Testing

@testable import Schema

@Suite struct IdentifierNameTests {
  @Test(arguments: [
    "telefono", "Teléfono", "telefono2", "telefonoCelular", "TELEFONO_CASA", "tel", "tel-casa", "cel",
    "celular", "movil",
    "Móvil", "whatsapp", "phone", "phone_number", "phoneNumber", "mobile", "cp", "CP", "C.P.", "codigoPostal",
    "codigo_postal", "Código Postal", "zip", "zipCode", "folio", "clave", "codigo", "nss", "NSS", "clabe",
    "curp", "rfc",
    "RFC-cliente", "tarjeta", "idSocio", "IDSocio", "socioID", "memberId", "member_id", "id", "numero_socio",
    "Número de socio",
    "invoiceNumber", "cuenta", "matricula", "Matrícula", "paymentId", "numTarjeta", "numero_de_cuenta",
    "numero_cuenta_pago", "Número de tarjeta de cargo",
  ])
  func identifiers(name: String) { #expect(IdentifierName.matches(name)) }

  @Test(arguments: [
    "hotel", "cpu", "idioma", "valid", "paid", "celda", "telar", "clavel", "codigos", "excel", "zipper",
    "recibido", "precio",
    "numero", "numero_visitas", "numberOfGuests", "num_hijos", "saldo_cuenta", "phoneCount",
    "comisionTarjeta", "costo_celular",
    "nombre", "edad", "total", "", "1", "ñ",
  ])
  func others(name: String) { #expect(!IdentifierName.matches(name)) }
}
