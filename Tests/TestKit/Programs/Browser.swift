import Foundation
import Network

/// A real browser: what people look at.
public enum Browser {
  private static let path = "/usr/bin/chromium"

  public static var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: path) }

  /// The page as it is after its script has run.
  @LoopActor
  public static func show(_ url: String) async throws -> String {
    let folder = try TemporaryFolder()
    let outcome = try await Program.run(
      path,
      [
        "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--user-data-dir=\(folder.path)",
        "--virtual-time-budget=3000", "--timeout=60000", "--dump-dom", url,
      ], environment: ["HOME": folder.path, "PATH": "/usr/bin:/bin"], within: .seconds(90))
    return outcome.output
  }
}
