# expect: template at 5:22 |end| `{{end}}` belongs to no block

file.content "motd" {
  destination = "motd.txt"
  content     = "on{{end}}"
}
