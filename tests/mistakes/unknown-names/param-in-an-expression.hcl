# expect: ? at 9:23 |param.usr| usr

param "user" {
  default = "ada"
}

file.content "motd" {
  destination = "motd.txt"
  content     = upper(param.usr)
}
