# expect: template at 9:20 |if| `{{end}}` is missing

param "on" {
  default = "true"
}

file.content "motd" {
  destination = "motd.txt"
  content     = "{{if eq (param `on`) `true`}}on"
}
