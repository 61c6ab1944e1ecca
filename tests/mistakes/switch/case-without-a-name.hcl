# expect: ? at 4:3 |case| name

switch "language" {
  case "true" {
    file.content "a" {
      destination = "a.txt"
    }
  }
}
