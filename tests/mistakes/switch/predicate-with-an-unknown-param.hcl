# expect: unknown-param at 8:19 |`lnag`| unknown parameter `lnag`

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
