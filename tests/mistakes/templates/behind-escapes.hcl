# expect: unknown-param at 9:46 |\"nme\"| unknown parameter `nme`

param "name" {
  default = "ada"
}

file.content "motd" {
  destination = "motd.txt"
  content     = "\t\"quoted\" \u00e9 {{param \"nme\"}}\n"
}
