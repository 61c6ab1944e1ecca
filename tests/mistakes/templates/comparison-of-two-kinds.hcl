# expect: template at 9:23 |gt (param `size`) 3| `gt` cannot compare a string with an integer

param "size" {
  default = 5
}

file.content "motd" {
  destination = "motd.txt"
  content     = "{{if gt (param `size`) 3}}large{{end}}"
}
