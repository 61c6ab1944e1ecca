# expect: wrong-labels at 4:3 |case "true"| its predicate or its name is missing

switch "language" {
  case "true" {
    file.content "a" {
      destination = "a.txt"
    }
  }
}
