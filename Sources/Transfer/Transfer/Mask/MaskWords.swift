/// The words that replace those of names and texts.
enum MaskWords {
  static let names = """
    Adela Adrián Agustín Alba Alejo Alicia Alonso Amalia Amparo Anselmo Araceli Arturo Aurelio Aurora \
    Baltasar Bárbara Beatriz Benito Berta Bruno Camilo Candela Carlota Cecilia Celia César Clara Claudio \
    Consuelo Cristina Dalia Damián Daniela Darío Delia Diana Edmundo Elena Eloísa Elvira Emilio Esteban \
    Estela Eugenio Fabián Fátima Federico Felipe Fermín Flora Gabino Genaro Gloria Gregorio Guadalupe \
    Héctor Hilda Horacio Hugo Ignacio Inés Irene Isidro Ismael Jacinto Javier Jimena Joaquín Josefa \
    Julia Julián Laura Leandro Leonor Lidia Lorenzo Lucía Luisa Marcelo Margarita Mariano Mateo Matilde \
    Mauricio Mercedes Miriam Natalia Nicolás Norma Octavio Olga Olivia Óscar Pablo Paloma Patricia Pilar \
    Rafael Ramiro Raquel Rebeca Ricardo Rocío Rodrigo Rosalía Rubén Salvador Samuel Sara Sergio Silvia \
    Simón Sofía Tadeo Teresa Tomás Úrsula Valeria Vicente Violeta Virginia Yolanda Zoilo
    """.split(separator: " ").map(String.init)

  /// The words in names that are kept.
  static let particles = ["de", "del", "la", "las", "los", "y"]

  static let lorem = """
    lorem ipsum dolor sit amet consectetur adipiscing elit sed do eiusmod tempor incididunt ut labore et \
    dolore magna aliqua enim ad minim veniam quis nostrud exercitation ullamco laboris nisi aliquip ex \
    ea commodo consequat
    """.split(separator: " ").map(String.init)
}
