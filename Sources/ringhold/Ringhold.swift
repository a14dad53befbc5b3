@main struct Ringhold { static func main() {} }
