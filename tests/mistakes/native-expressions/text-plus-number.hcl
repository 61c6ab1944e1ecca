# expect: expression at 10:17 |param.name| `+` needs a number

param "name" {
  type    = "string"
  default = "ada"
}

file.content "motd" {
  destination = "motd.txt"
  content     = param.name + 1
}
