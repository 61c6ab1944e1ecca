# expect: ? at 10:17 |param.name| string

param "name" {
  type    = "string"
  default = "ada"
}

file.content "motd" {
  destination = "motd.txt"
  content     = param.name + 1
}
