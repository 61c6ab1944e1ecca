# expect: ? at 5:17 |join(",")| join

file.content "motd" {
  destination = "motd.txt"
  content     = join(",")
}
