# expect: ? at 9:26 |paramList `hosts`| list

param "hosts" {
  default = "alpha"
}

file.content "motd" {
  destination = "motd.txt"
  content     = "{{range paramList `hosts`}}{{.}}{{end}}"
}
