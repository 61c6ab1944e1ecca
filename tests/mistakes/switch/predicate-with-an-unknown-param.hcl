# expect: ? at 8:13 |param `lnag`| lnag

param "lang" {
  default = ""
}

switch "language" {
  case "eq (param `lnag`) `french`" "french" {
    file.content "a" {
      destination = "a.txt"
    }
  }
}
