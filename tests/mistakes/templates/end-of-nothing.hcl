# expect: ? at 5:22 |end| end

file.content "motd" {
  destination = "motd.txt"
  content     = "on{{end}}"
}
