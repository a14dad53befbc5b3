// swift-tools-version: 6.2
import PackageDescription

/// The strictest the compiler offers; warnings are errors everywhere.
let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .enableExperimentalFeature("Lifetimes"),
  .treatAllWarnings(as: .error),
]

/// Memory safety is checked in sources only: the exit tests of swift-testing trip it.
func module(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: strict + [.strictMemorySafety()])
}

func tests(of name: String, _ dependencies: [Target.Dependency] = [], data: [String] = []) -> Target {
  .testTarget(
    name: name + "Tests", dependencies: [.byName(name: name)] + dependencies, path: "Tests/" + name, exclude: data,
    swiftSettings: strict)
}

/// One door per C library. Only the module above it imports it.
func door(_ name: String, package: String) -> Target {
  .systemLibrary(name: name, path: "Sources/" + name, pkgConfig: nil, providers: [.apt([package])])
}

let package = Package(
  name: "ringhold",
  products: [
    .executable(name: "ringhold", targets: ["ringhold"]),
    .library(name: "PhoneKit", targets: ["PhoneKit"]),
    .executable(name: "simulate", targets: ["simulate"]),
  ],
  targets: [
    door("CLibUV", package: "libuv1-dev"),
    door("CCares", package: "libc-ares-dev"),
    door("COpenSSL", package: "libssl-dev"),
    door("CNghttp2", package: "libnghttp2-dev"),
    door("CLibYAML", package: "libyaml-dev"),
    door("CHiredis", package: "libhiredis-dev"),

    module("Primitives"),
    module("Telemetry", ["Primitives"]),
    module("Cryptography", ["Primitives", "COpenSSL"]),
    module("SIP", ["Primitives", "Cryptography"]),
    module("HTTP", ["Primitives", "Cryptography", "CNghttp2"]),
    module("PhoneContract", ["Primitives"]),
    module("Network", ["Primitives", "Telemetry", "Cryptography", "CLibUV", "CCares"]),
    module("Endpoints", ["Primitives", "Telemetry", "Cryptography", "Network", "SIP", "HTTP"]),
    module("Store", ["Primitives"]),
    module("Cluster", ["Primitives", "Store"]),
    module("RESP", ["Primitives", "CHiredis"]),
    module("RedisStore", ["Primitives", "Cryptography", "Network", "RESP", "Store"]),
    module("Push", ["Primitives", "Telemetry", "Cryptography", "Network", "HTTP", "Endpoints"]),
    module("Switchboard", ["Primitives", "SIP", "Store", "PhoneContract"]),
    module("Core", ["Primitives", "SIP", "HTTP", "Store", "Cluster", "PhoneContract", "Switchboard"]),
    module("PhoneKit", ["Primitives", "Cryptography", "Network", "HTTP", "Endpoints", "PhoneContract"]),
    module(
      "Node",
      [
        "Primitives", "Telemetry", "Cryptography", "Network", "SIP", "HTTP", "Endpoints", "Store", "RedisStore", "Cluster", "Push",
        "Switchboard", "Core", "PhoneContract", "CLibYAML",
      ]),
    module(
      "Demo",
      [
        "Primitives", "Telemetry", "Cryptography", "Network", "SIP", "HTTP", "Endpoints", "Node", "PhoneContract", "PhoneKit",
      ]),
    .executableTarget(
      name: "ringhold", dependencies: ["Primitives", "Telemetry", "Cryptography", "Network", "Node", "PhoneContract", "PhoneKit", "Demo"],
      swiftSettings: strict + [.strictMemorySafety()]),

    // What the tests of more than one module stand on: waiting, folders, programs, a real provider and caller.
    .target(
      name: "TestKit", dependencies: ["Primitives", "Cryptography", "Network"], path: "Tests/TestKit", swiftSettings: strict),
    // Whole clusters from one seed: the world, a program that runs many of them, and the tests.
    .target(
      name: "Simulation",
      dependencies: ["Primitives", "Cryptography", "SIP", "HTTP", "Store", "Cluster", "PhoneContract", "Switchboard", "Core"],
      path: "Tests/Simulation/World", swiftSettings: strict),
    .executableTarget(name: "simulate", dependencies: ["Simulation"], path: "Tests/Simulation/Program", swiftSettings: strict),
    .testTarget(name: "SimulationTests", dependencies: ["Simulation"], path: "Tests/Simulation/Runs", swiftSettings: strict),
    // The phones of `cluster/lab`: a load program.
    .executableTarget(
      name: "labphones", dependencies: ["Primitives", "Cryptography", "Network", "SIP", "HTTP", "Endpoints", "PhoneContract", "PhoneKit"],
      path: "Tests/LabPhones", swiftSettings: strict),

    tests(of: "Primitives"),
    tests(of: "Telemetry"),
    tests(of: "Cryptography", ["Primitives"], data: ["Data"]),
    tests(of: "SIP", ["Primitives", "Cryptography", "TestKit"], data: ["Data"]),
    tests(of: "HTTP", ["Primitives", "Cryptography"]),
    tests(of: "PhoneContract", ["Primitives"]),
    tests(of: "Network", ["Primitives", "Cryptography", "TestKit"]),
    tests(of: "Endpoints", ["Primitives", "Cryptography", "Network", "SIP", "HTTP", "TestKit"]),
    tests(of: "Store", ["Primitives"]),
    tests(of: "Cluster", ["Primitives", "Store"]),
    tests(of: "RESP", ["Primitives"]),
    tests(of: "RedisStore", ["Primitives", "Cryptography", "Network", "RESP", "Store"]),
    tests(of: "Push", ["Primitives", "Cryptography", "Network", "HTTP", "Endpoints"], data: ["Data"]),
    tests(of: "Switchboard", ["Primitives", "SIP", "Store", "PhoneContract", "TestKit"], data: ["Scenarios", "Data"]),
    tests(of: "Core", ["Primitives", "SIP", "HTTP", "Store", "Cluster", "PhoneContract", "Switchboard"]),
    tests(of: "PhoneKit", ["Primitives", "Cryptography", "Network", "HTTP", "Endpoints", "PhoneContract"]),
    tests(of: "Node", ["Primitives", "Core", "TestKit"]),
    tests(of: "Demo", ["Primitives", "Cryptography", "Network", "SIP", "HTTP", "Endpoints", "PhoneContract"]),
    .testTarget(
      name: "IntegrationTests",
      dependencies: [
        "Primitives", "Telemetry", "Cryptography", "Network", "SIP", "HTTP", "Endpoints", "Node", "PhoneContract", "PhoneKit", "Demo",
        "TestKit", "ringhold",
      ], path: "Tests/Integration", swiftSettings: strict),
    .testTarget(name: "LabTests", dependencies: ["Network", "TestKit", "ringhold", "labphones"], path: "Tests/Lab", swiftSettings: strict),
    .executableTarget(
      name: "benchmarks",
      dependencies: [
        "Primitives", "Telemetry", "Cryptography", "Network", "SIP", "HTTP", "Endpoints", "Node", "PhoneContract", "PhoneKit",
      ], path: "Tests/Benchmarks", exclude: ["Scenario"], swiftSettings: strict),
    .testTarget(name: "TreeTests", path: "Tests/Tree", swiftSettings: strict),
  ]
)
