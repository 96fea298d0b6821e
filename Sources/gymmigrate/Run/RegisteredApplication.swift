/// The built-in application.
typealias RegisteredApplication = GymApplication
