# expect: ? at 9:40 |param \"nme\"| nme

param "name" {
  default = "ada"
}

file.content "motd" {
  destination = "motd.txt"
  content     = "\t\"quoted\" \u00e9 {{param \"nme\"}}\n"
}
