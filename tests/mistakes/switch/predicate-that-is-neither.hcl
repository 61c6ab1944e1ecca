# expect: template at 8:9 |param `lang`| "french" is neither true nor false

param "lang" {
  default = "french"
}

switch "language" {
  case "param `lang`" "french" {
    file.content "a" {
      destination = "a.txt"
    }
  }
}
