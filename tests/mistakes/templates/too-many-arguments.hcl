# expect: ? at 9:20 |param| param

param "a" {
  default = ""
}

file.content "motd" {
  destination = "motd.txt"
  content     = "{{param `a` `b`}}"
}
