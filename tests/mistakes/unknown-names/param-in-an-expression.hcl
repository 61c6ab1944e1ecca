# expect: unknown-param at 9:23 |param.usr| unknown parameter `usr`

param "user" {
  default = "ada"
}

file.content "motd" {
  destination = "motd.txt"
  content     = upper(param.usr)
}
