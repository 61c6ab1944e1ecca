# expect: template at 9:23 |gt (param `size`) `three`| `gt` cannot compare an integer with a string

param "size" {
  default = 5
}

file.content "motd" {
  destination = "motd.txt"
  content     = "{{if gt (param `size`) `three`}}large{{end}}"
}
