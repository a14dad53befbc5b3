import Foundation
import Primitives

/// The files in `Data`.
struct HPKEVectors: Decodable {
  struct Vector: Decodable {
    struct Encryption: Decodable { let seq: Int, aad: String, ct: String, pt: String }
    let kemId: Int, aeadId: Int
    let info: String, skRm: String, skEm: String, pkRm: String, enc: String
    let encryptions: [Encryption]
  }
  let vectors: [Vector]
}

struct BadKeys: Decodable {
  struct Test: Decodable {
    let tcId: Int, comment: String, flags: [String]
    let `public`: String, `private`: String
    let shared: String?
  }
  let tests: [Test]
}

func vectors<File: Decodable>(_ name: String, file: String = #filePath) throws -> File {
  let url = URL(fileURLWithPath: file).deletingLastPathComponent().appending(path: "Data/\(name).json")
  let decoder = JSONDecoder()
  decoder.keyDecodingStrategy = .convertFromSnakeCase
  return try decoder.decode(File.self, from: Data(contentsOf: url))
}

/// The bytes of a literal in hexadecimal digits; of something else, none.
func hex(_ digits: String) -> Bytes { Hex.decode(digits) ?? [] }
