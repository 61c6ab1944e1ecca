# expect: template at 9:26 |paramList `hosts`| the parameter is a string, not a list

param "hosts" {
  default = "alpha"
}

file.content "motd" {
  destination = "motd.txt"
  content     = "{{range paramList `hosts`}}{{.}}{{end}}"
}
