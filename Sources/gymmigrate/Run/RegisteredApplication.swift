/// The application that comes along, registered by this line.
typealias RegisteredApplication = GymApplication
