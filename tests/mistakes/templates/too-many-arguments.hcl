# expect: template at 9:20 |param| `param` takes 1 argument

param "a" {
  default = ""
}

file.content "motd" {
  destination = "motd.txt"
  content     = "{{param `a` `b`}}"
}
