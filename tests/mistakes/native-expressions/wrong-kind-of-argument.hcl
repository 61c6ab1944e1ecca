# expect: ? at 5:27 |"a"| list

file.content "motd" {
  destination = "motd.txt"
  content     = join(",", "a")
}
