public import ArgumentParser
public import Transfer

// Values of the library that are typed on the command line by their raw text.

extension LogFormat: ExpressibleByArgument {}
extension ParseErrorPolicy: ExpressibleByArgument {}
extension WriteMode: ExpressibleByArgument {}
